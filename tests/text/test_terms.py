import os
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragkb.text.terms import index_terms, jaccard, query_terms

EXAMPLES = 5000 if os.environ.get("RAGKB_SOAK") else 150

sqlite = pytest.importorskip("pysqlite3")


class KeywordIndex:
    """A real FTS5 table of documents, tokenized as a base's keyword index is."""

    def __init__(self, *documents: str) -> None:
        self.database = sqlite.connect(":memory:")
        self.database.execute("CREATE VIRTUAL TABLE t USING fts5(c, tokenize='porter unicode61')")
        self.database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")
        for document in documents:
            self.add(index_terms(document))

    def add(self, terms: list[str]) -> None:
        self.database.execute("INSERT INTO t (c) VALUES (?)", (" ".join(terms),))

    def find(self, query: str) -> list[int]:
        """Return the numbers of the documents, counted from 1, best first."""
        terms = " OR ".join(f'"{term}"' for term in query_terms(query))
        if not terms:
            return []
        found = self.database.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank", (terms,))
        return [number for (number,) in found]

    def tokens(self) -> int:
        (count,) = self.database.execute("SELECT count(*) FROM v").fetchone()
        return count


@pytest.fixture
def index() -> Iterator[KeywordIndex]:
    index = KeywordIndex(
        "The language C++ and its templates.",
        "C# and F# run on .NET.",
        "C was first. Vitamin C and F too.",
        "订单 BENCH-100821 已发货，版本 v1.2.3。",
        "Version 1.2 of 3 benches, order 100821-A.",
        "don’t panic: disk 100% full",
        "do panic about 100 pages",
        "重跑gen-itgc后50条",
        "型号ＡＢＣ－１２３ 全角",
        "café résumé naïve",
        "Write to user@example.com, see a/b and foo_bar.",
        "好消息🎉和坏消息😢",
        "用户身份认证流程与知识库检索。",
        "The error E-4042 of part ZX-81-B",
    )
    yield index
    index.database.close()


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("C++", 1),
        ("c++", 1),
        ("C#", 2),
        ("f#", 2),
        (".NET", 2),
        ("BENCH-100821", 4),
        ("bench‑100821", 4),
        ("v1.2.3", 4),
        ("don't", 6),
        ("don’t", 6),
        ("100%", 6),
        ("gen-itgc", 8),
        ("ABC-123", 9),
        ("ａｂｃ－123", 9),
        ("cafe resume", 10),
        ("cafe\u0301", 10),
        ("CAFÉ", 10),
        ("user@example.com", 11),
        ("a/b", 11),
        ("foo_bar", 11),
        ("🎉", 12),
        ("😢", 12),
        ("检索", 13),
        ("库", 13),
        ("身份认证", 13),
        ("什么是知识库？", 13),
        ("(知识库", 13),
        ('知识"库', 13),
        ("E-4042", 14),
        ("zx-81-b", 14),
        ("parts", 14),
    ],
)
def test_what_is_typed_is_found_first(index: KeywordIndex, query: str, first: int) -> None:
    assert index.find(query)[:1] == [first]


@pytest.mark.parametrize("query", ["", " \u3000\n", "。，！？", "*", "/", "'\"()-", "…", "\ue000"])
def test_a_query_without_a_word_has_no_terms(query: str) -> None:
    assert query_terms(query) == []


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("知识库 kb", ["知", "识", "库", "知识", "识库", "kb"]),
        ("T恤", ["t", "恤"]),
        ("Don't", ["don\ue000\ue827t", "don", "t"]),
        (
            "C/C++",
            ["c\ue000\ue82fc\ue000\ue82b\ue000\ue82b", "c", "c\ue000\ue82b\ue000\ue82b", "c"],
        ),
        ("1,000 a,b", ["1\ue000\ue82c000", "1", "000", "a", "b"]),
        ("𠮷野〇々", ["𠮷", "野", "〇", "々", "𠮷野", "野〇", "〇々"]),
        ("ｶﾞス", ["ガ", "ス", "ガス"]),
        ("한국", ["한", "국", "한국"]),
        ("ﬁne Straße ①", ["fine", "strasse", "1"]),
        ("史蒂夫·乔 ア・イ", ["史", "蒂", "夫", "史蒂", "蒂夫", "乔", "ア", "イ"]),
        ("知\u200b识 soft\u00adware", ["知", "识", "知识", "software"]),
        ("👨‍👩‍👧 👍🏽", ["\ue01f\uec68", "\ue01f\uec69", "\ue01f\uec67", "\ue01f\uec4d"]),
        ("a\ue000b", ["a", "b"]),
        ("NOT a", ["not", "a"]),
    ],
)
def test_terms_of_a_text(text: str, terms: list[str]) -> None:
    assert index_terms(text) == terms


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("知识库", ["知识", "识库"]),
        ("库", ["库"]),
        ("库 检索", ["检索"]),
        ("什么是知识库", ["是知", "知识", "识库"]),
        ("什么", ["什么"]),
        ("的", ["的"]),
        ("What is the index of an index?", ["index"]),
        ("to be", ["to", "be"]),
        ("NOT", ["not"]),
    ],
)
def test_terms_of_a_query(query: str, terms: list[str]) -> None:
    assert query_terms(query) == terms


def test_a_very_long_word_becomes_small_terms_and_is_still_found() -> None:
    word = "".join(chr(ord("a") + number % 23) for number in range(10_000))
    terms = index_terms(word)
    assert "".join(terms) == word
    assert max(map(len, terms)) == 64
    assert KeywordIndex("other", word).find(word) == [2]
    assert max(map(len, index_terms("a-" * 5_000 + "b"))) == 1


ALPHABET = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from("abC12知识库-_.'’/@&+:#%,\\ éß\u0301\u200b😀🏽〇々ガｶﾞ한\ue000\uf8ff"),
)


@settings(derandomize=True, deadline=None, max_examples=EXAMPLES)
@given(st.text(ALPHABET, max_size=60))
def test_fts5_keeps_each_term_as_one_token(text: str) -> None:
    index = KeywordIndex(text)
    assert index.tokens() == len(index_terms(text))
    index.database.close()


@pytest.mark.parametrize("plane", range(4))
def test_fts5_keeps_a_term_of_any_character_as_one_token(plane: int) -> None:
    codes = range(plane * 0x10000, (plane + 1) * 0x10000)
    for start in range(0, len(codes), 0x1000):
        text = " ".join(f"a{chr(code)}" for code in codes[start : start + 0x1000])
        index = KeywordIndex(text)
        assert index.tokens() == len(index_terms(text))
        index.database.close()


@settings(derandomize=True, deadline=None, max_examples=EXAMPLES)
@given(st.text(ALPHABET, max_size=60))
def test_composed_and_decomposed_texts_have_the_same_terms(text: str) -> None:
    assert index_terms(unicodedata.normalize("NFD", text)) == index_terms(
        unicodedata.normalize("NFC", text)
    )


@settings(derandomize=True, deadline=None, max_examples=EXAMPLES)
@given(st.text(ALPHABET, min_size=1, max_size=40))
def test_a_text_is_found_by_itself(text: str) -> None:
    assert set(query_terms(text)) <= set(index_terms(text))
    assert (query_terms(text) == []) == (index_terms(text) == [])


def test_jaccard_is_the_share_in_common() -> None:
    assert jaccard({"a", "b", "c"}, {"b", "c", "d"}) == 0.5
    assert jaccard({"a"}, {"a"}) == 1
    assert jaccard({"a"}, {"b"}) == 0
    assert jaccard(set(), set()) == 0
