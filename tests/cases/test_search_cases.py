"""Search over nine documents whose vectors mean nothing: what is right comes from the words."""

import shutil
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from endpoint_server import EndpointServer, data, items
from invariants import problems

from ragkb.app import App, open_app
from ragkb.errors import BlankQuery, OutOfRange
from ragkb.home import Home
from ragkb.services.searching import SearchResult
from ragkb.settings import Settings

DOCUMENTS = {
    "d1": "C++ 与 C# 语言对比，模板与泛型。",
    "d2": "订单 BENCH-100821 已发货，版本 v1.2.3。",
    "d3": "用户身份认证流程与知识库检索。",
    "d4": "don't panic: disk 100% full",
    "d5": "café résumé naïve",
    "d6": "型号ＡＢＣ－１２３ 全角",
    "d7": "軟體開發流程",
    "d8": "NOT AND OR NEAR keywords",
    "d9": "安全，什么是定义",
}
EXTRA = {"extra": "重跑gen-itgc后50条"}
ALL = frozenset(f"{name}.txt" for name in DOCUMENTS)

Search = Callable[..., SearchResult]


@pytest.fixture(scope="module")
def mock() -> Iterator[EndpointServer]:
    """The endpoint that makes the vectors."""
    server = EndpointServer()
    yield server
    server.close()


@pytest.fixture(scope="module")
def filled(
    template: Path, tmp_path_factory: pytest.TempPathFactory, mock: EndpointServer
) -> Iterator[App]:
    """The base `kb` with the nine documents, and `kb_extra` with one more."""
    folder = tmp_path_factory.mktemp("search")
    home = Home(folder / "home")
    home.database.parent.mkdir(parents=True)
    shutil.copyfile(template, home.database)
    settings = Settings(home.folder, embedding_model="mock", embedding_endpoint=mock.url)
    with open_app(settings, lambda _copy: None) as app:
        fill(app, "kb", folder, DOCUMENTS)
        fill(app, "kb_extra", folder, DOCUMENTS | EXTRA)
        yield app


def fill(app: App, kb_name: str, folder: Path, texts: Mapping[str, str]) -> None:
    paths = [folder / f"{name}.txt" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    app.bases.create(kb_name, 256)
    base = app.bases.find(kb_name)
    report = app.importing.import_files(base, [str(path) for path in paths], lambda _: None)
    assert len(report.success_files) == len(texts)


@pytest.fixture
def search(filled: App) -> Search:
    """Searches the nine documents."""

    def search_base(query: str, top_k: object = 5, kb_name: str = "kb") -> SearchResult:
        result = filled.searching.search(filled.bases.find(kb_name), query, top_k)
        assert [channel.answered for channel in result.channels] == [True, True]
        return result

    return search_base


def names(result: SearchResult) -> list[str]:
    return [hit.doc_name.removesuffix(".txt") for hit in result.hits]


def by_keyword(result: SearchResult) -> set[str]:
    """The documents that the keywords found, wherever their vectors lie."""
    return {hit.doc_name.removesuffix(".txt") for hit in result.hits if hit.keyword_score > 0}


@pytest.mark.case("q_cpp", query="C++", first="d1")
@pytest.mark.case("q_hyphen", query="BENCH-100821", first="d2")
@pytest.mark.case("q_dotted", query="v1.2.3", first="d2")
def test_what_is_typed_exactly_comes_first_whatever_the_vectors_say(
    search: Search, mock: EndpointServer, query: str, first: str
) -> None:
    for salt in range(20):
        mock.script(lambda request, salt=salt: data(items([f"{salt}{request.texts[0]}"])))
        assert names(search(query))[0] == first


@pytest.mark.case("q_apostrophe", query="don't", found="d4")
@pytest.mark.case("q_colon", query="disk: full", found="d4")
@pytest.mark.case("q_parens", query="(知识库", found="d3")
@pytest.mark.case("q_not", query="NOT", found="d8")
@pytest.mark.case("q_and_trailing", query="知识库 AND", found="d3")
@pytest.mark.case("q_minus_prefix", query="-检索", found="d3")
@pytest.mark.case("q_2char", query="检索", found="d3")
@pytest.mark.case("q_1char", query="库", found="d3")
@pytest.mark.case("q_mid_sentence", query="身份认证", found="d3")
@pytest.mark.case("q_question", query="什么是知识库？", found="d3")
@pytest.mark.case("q_accent", query="cafe resume", found="d5")
def test_the_keywords_find_the_document(search: Search, query: str, found: str) -> None:
    result = search(query)
    assert found in by_keyword(result)
    assert names(result)[0] == found


@pytest.mark.case("q_nfd")
def test_composed_and_decomposed_letters_are_the_same(search: Search) -> None:
    composed, decomposed = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    assert len(composed) < len(decomposed)
    for query in (composed, decomposed):
        assert by_keyword(search(query)) == {"d5"}


@pytest.mark.case("q_glued")
def test_a_code_glued_to_chinese_is_found(search: Search) -> None:
    assert by_keyword(search("gen-itgc", kb_name="kb_extra")) == {"extra"}


@pytest.mark.case("q_star", query="*")
@pytest.mark.case("q_slash", query="/")
@pytest.mark.case("q_punct_only", query="。，！？")
def test_a_query_without_words_has_an_empty_keyword_part(search: Search, query: str) -> None:
    result = search(query)
    assert len(result.hits) == 5
    assert by_keyword(result) == set()


@pytest.mark.case("q_inner_quote", query='知识"库', may_find=["d3"])
@pytest.mark.case("q_near", query="NEAR(", may_find=["d8"])
@pytest.mark.case("q_trad", query="软件开发", may_find=["d7"])
def test_quotes_and_operators_are_text(search: Search, query: str, may_find: list[str]) -> None:
    result = search(query)
    assert len(result.hits) == 5
    assert by_keyword(result) <= {*may_find}


@pytest.mark.case("q_injection")
def test_a_query_is_never_a_statement(search: Search, filled: App) -> None:
    assert len(search("'); DROP TABLE chunks;--", 9).hits) == 9
    assert filled.documents.page(filled.bases.find("kb")).total == 9
    assert problems(filled, filled.bases.find("kb")) == []


@pytest.mark.case("q_blank")
def test_a_blank_query_is_refused_as_an_empty_one_is(search: Search) -> None:
    for query in ("", " \u3000\n"):
        with pytest.raises(BlankQuery):
            search(query)


@pytest.mark.case("topk_zero", top_k=0)
@pytest.mark.case("topk_negative", top_k=-1)
def test_a_top_k_below_one_is_refused_with_its_bounds(search: Search, top_k: int) -> None:
    with pytest.raises(OutOfRange) as refused:
        search("知识库", top_k)
    assert (refused.value.argument, refused.value.value, refused.value.least) == ("top_k", top_k, 1)


@pytest.mark.case("topk_huge")
def test_a_huge_top_k_gives_everything_and_says_its_limit(search: Search) -> None:
    result = search("知识库", 100_000)
    assert {hit.doc_name for hit in result.hits} == ALL
    assert [note.key for note in result.notes] == ["note.top_k_clamped"]
