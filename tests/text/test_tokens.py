import gzip
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from types import FunctionType

import pytest
from tiktoken_ext import openai_public

from ragkb.text import tokens
from ragkb.text.tokens import SLICE, TOKEN_ENCODING, count_each, count_tokens

OFFLINE = """
import socket, sys
class Refusing(socket.socket):
    def connect(self, address): sys.exit("went to the network")
socket.socket = Refusing
socket.getaddrinfo = lambda *_, **__: sys.exit("asked for an address")
from ragkb.text.splitting import split
print([chunk.tokens for chunk in split("知识库。\\nHello world.", 4)])
"""


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        # "hello", " world"
        ("hello world", 2),
        # One token would be the end-of-text marker, which a document may well mention.
        ("<|endoftext|>", 7),
        # Eight letters make a token, as do 64 dashes.
        ("a" * 80, 10),
        ("-" * 128, 2),
        # U+2A6A5 has no token of its own: each of its four bytes is one.
        ("𪚥", 4),
    ],
)
def test_tokens_are_those_of_o200k_base(text: str, count: int) -> None:
    assert count_tokens(text) == count
    assert TOKEN_ENCODING == "o200k_base"


def test_each_text_is_counted_alone() -> None:
    assert count_each(["hello", " world", "hello world"]) == [1, 1, 2]


def test_a_million_spaces_are_counted() -> None:
    # 128 spaces make a token; in one piece they overflow the stack of tiktoken's expressions.
    assert count_tokens(" " * 2 * SLICE) == pytest.approx(2 * SLICE / 128, rel=0.001)


def test_threads_that_come_first_together_count_the_same() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(count_tokens, ["知识库 and more"] * 64)) == {
            count_tokens("知识库 and more")
        }


def test_tokens_are_counted_offline_and_with_an_empty_cache(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    cache = tmp_path_factory.mktemp("cache")
    environ = {**os.environ, "TIKTOKEN_CACHE_DIR": str(cache)}
    answer = subprocess.run(
        [sys.executable, "-c", OFFLINE], env=environ, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[3, 3]"
    assert list(cache.iterdir()) == []


def test_importing_the_module_loads_neither_tiktoken_nor_the_vocabulary() -> None:
    program = "import sys, ragkb.text.tokens; print('tiktoken' in sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "False"


def test_the_shipped_vocabulary_is_a_rank_for_each_line() -> None:
    packed = files("ragkb.text").joinpath("vocabulary/o200k_base.tiktoken.gz").read_bytes()
    ranks = [int(line.split()[1]) for line in gzip.decompress(packed).splitlines()]
    assert ranks == list(range(199_998))


def test_words_are_cut_as_tiktoken_cuts_them() -> None:
    def nothing(*_: object, **__: object) -> dict[bytes, int]:
        return {}

    # The public function, with its own loader of the vocabulary, which would go to the network.
    build = FunctionType(
        openai_public.o200k_base.__code__, {**vars(openai_public), "load_tiktoken_bpe": nothing}
    )
    assert build()["pat_str"] == tokens.WORD_PATTERN
