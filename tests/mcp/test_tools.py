"""Every tool does what its contract says, in both protocol eras."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from asking import Asking, text_of

Write = Callable[[str, str], Path]


def test_bases_are_created_selected_listed_and_deleted(ask: Asking) -> None:
    created = ask("create_knowledge_base", kb_name="甲", chunk_size=64)
    assert created == {"kb_id": created["kb_id"], "kb_name": "甲", "chunk_size": 64}
    other = ask("create_knowledge_base", kb_name="other", chunk_size=512)
    selected = ask("select_knowledge_base", kb_name="甲")
    assert selected == {"kb_id": created["kb_id"], "kb_name": "甲", "document_count": 0}
    listed = ask("list_knowledge_bases")
    assert (listed["count"], listed["current_kb_id"]) == (2, created["kb_id"])
    first, second = listed["knowledge_bases"]
    assert (first["id"], first["name"], first["chunk_size"]) == (other["kb_id"], "other", 512)
    assert (first["embedding_model"], first["is_current"]) == ("builtin:use-m3", False)
    assert datetime.fromisoformat(first["created_at"]).tzinfo is not None
    assert (second["name"], second["is_current"]) == ("甲", True)
    assert ask("delete_knowledge_base", kb_name="other") == {"kb_name": "other"}
    assert ask("list_knowledge_bases")["count"] == 1


def test_a_very_small_chunk_size_is_remarked_upon(ask: Asking) -> None:
    created = ask("create_knowledge_base", kb_name="kb", chunk_size=8)
    assert ["less than a sentence" in note for note in created["notes"]] == [True]


@pytest.mark.usefixtures("kb")
def test_an_import_has_one_outcome_for_each_file(ask: Asking, write: Write) -> None:
    good, empty = write("好.txt", "向量检索很快。"), write("empty.txt", "")
    missing = good.with_name("none.txt")
    first = ask("import_document", file_paths=[str(good), str(empty), str(missing), str(good)])
    counts = [first[f"{name}_count"] for name in ("success", "failed", "pending")]
    assert (first["kb_name"], first["total"], counts) == ("kb", 3, [1, 2, 0])
    (success,) = first["success_files"]
    assert success == {
        "file_path": str(good.resolve()),
        "doc_name": "好.txt",
        "chunk_count": 1,
        "status": "imported",
    }
    assert [each["file_path"] for each in first["failed_files"]] == [str(empty), str(missing)]
    assert "is empty" in first["failed_files"][0]["error"]
    assert "There is no file" in first["failed_files"][1]["error"]
    assert (first["pending_files"], first["notes"]) == ([], [])
    again = ask("import_document", file_paths=[str(good)], chunk_size=None)
    assert again["success_files"] == [{**success, "status": "unchanged"}]
    anew = ask("import_document", file_paths=[str(good)], chunk_size=32)
    assert anew["success_files"] == [{**success, "status": "updated"}]


@pytest.mark.usefixtures("kb")
def test_an_import_is_an_error_only_when_every_file_failed(ask: Asking, write: Write) -> None:
    good, empty = write("a.txt", "text"), write("empty.txt", "")
    assert not ask.result("import_document", file_paths=[str(good), str(empty)]).is_error
    failed = ask.result("import_document", file_paths=[str(empty)])
    assert failed.is_error
    assert failed.structured_content is not None
    assert failed.structured_content["failed_files"][0]["file_path"] == str(empty)
    assert json.loads(text_of(failed)) == failed.structured_content


@pytest.mark.usefixtures("kb")
def test_a_folder_is_kept_in_step(ask: Asking, write: Write) -> None:
    gone, changed = write("sub/gone.txt", "one"), write("changed.md", "two")
    write("photo.png", "").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    folder = str(changed.parent)
    first = ask("import_folder", path=folder)
    assert (first["total"], first["new_count"], first["skipped_count"]) == (2, 2, 1)
    assert "PNG" in first["skipped_files"][0]["error"]
    gone.unlink()
    changed.write_text("three", encoding="utf-8")
    second = ask("import_folder", path=folder, include="*.md")
    assert (second["changed_count"], second["unchanged_count"]) == (1, 0)
    assert (second["vanished"], second["pruned"]) == (["gone.txt"], False)
    third = ask("import_folder", path=folder, prune=True)
    assert (third["unchanged_count"], third["vanished_count"], third["pruned"]) == (1, 1, True)
    assert [each["name"] for each in ask("list_documents")["documents"]] == ["changed.md"]


@pytest.mark.usefixtures("kb")
def test_a_search_can_be_cited(ask: Asking, write: Write) -> None:
    sentence = "保修期为三年，自购买之日起计算。"
    path = write("手册.html", f"<h1>手册</h1><p>前言。</p><h2>保修</h2><p>{sentence}</p>")
    ask("import_document", file_paths=[str(path)])
    found = ask("search", query="保修期", top_k=3)
    assert (found["kb_name"], found["count"]) == ("kb", 1)
    (chunk,) = found["chunks"]
    assert (chunk["doc_name"], chunk["file_path"]) == ("手册.html", str(path.resolve()))
    assert chunk["page"] is None
    assert chunk["heading"].startswith("手册")
    text = ask.run(ask.client.read_resource, "kb://kb/documents/手册.html").contents[0].text
    assert chunk["content"] == text[chunk["start"] : chunk["end"]]
    assert sentence in chunk["passage"]
    assert 0 < chunk["keyword_score"] <= 1
    assert -1 <= chunk["vector_score"] <= 1
    assert found["channels"] == {
        "keyword": {"answered": True, "reason": ""},
        "vector": {"answered": True, "reason": ""},
    }


@pytest.mark.usefixtures("kb")
def test_neighbors_are_the_chunks_around_a_hit(ask: Asking, write: Write) -> None:
    lines = [f"{name} {'and so on and on ' * 12}" for name in ("zero", "one", "two", "three")]
    ask("import_document", file_paths=[str(write("a.txt", "\n\n".join(lines)))])
    (chunk,) = ask("search", query="two", top_k=1, neighbors=1)["chunks"]
    around = [(each["chunk_index"], each["content"].split()[0]) for each in chunk["neighbors"]]
    assert (chunk["content"].split()[0], around) == ("two", [(1, "one"), (3, "three")])
    assert "neighbors" not in ask("search", query="two", top_k=1)["chunks"][0]


@pytest.mark.usefixtures("kb")
def test_documents_are_listed_in_pages(ask: Asking, write: Write) -> None:
    paths = [str(write(f"{number}.txt", f"text {number}")) for number in range(5)]
    ask("import_document", file_paths=paths)
    first = ask("list_documents", limit=2)
    assert (first["count"], first["total"], first["has_more"]) == (2, 5, True)
    assert first["next_offset"] == 2
    assert [first["documents"][0][name] for name in ("name", "file_path", "status")] == [
        "0.txt",
        str(Path(paths[0]).resolve()),
        "ready",
    ]
    last = ask("list_documents", limit=2, offset=4)
    assert (last["count"], last["has_more"], "next_offset" in last) == (1, False, False)


@pytest.mark.usefixtures("kb")
def test_a_document_is_split_anew_and_deleted(ask: Asking, write: Write) -> None:
    path = write("a.txt", "One two three four five six seven. " * 40)
    chunks = ask("import_document", file_paths=[str(path)])["success_files"][0]["chunk_count"]
    path.unlink()
    updated = ask("update_document", doc_name="a.txt", chunk_size=32)
    assert updated["chunk_count"] > chunks
    assert (updated["doc_name"], updated["chunk_size"], updated["pending_count"]) == (
        "a.txt",
        32,
        0,
    )
    (listed,) = ask("list_documents")["documents"]
    assert (listed["id"], listed["status"]) == (updated["doc_id"], "ready")
    assert ask("delete_document", doc_name="a.txt") == {"kb_name": "kb", "doc_name": "a.txt"}
    assert ask("search", query="seven")["chunks"] == []


@pytest.mark.usefixtures("kb")
def test_a_database_goes_out_and_comes_back(ask: Asking, write: Write, tmp_path: Path) -> None:
    ask("import_document", file_paths=[str(write("a.txt", "text"))])
    target = tmp_path / "export" / "all.db"
    target.parent.mkdir()
    exported = ask("export_database", export_path=str(target))
    assert exported["export_path"] == str(target)
    assert exported["source_path"].endswith("kb.db")
    merged = ask("import_database", source_db_path=str(target))
    assert (merged["imported_kb_count"], merged["imported_doc_count"]) == (1, 1)
    assert ask("list_knowledge_bases")["count"] == 2
    assert list(merged["renamed"]) == ["kb"]


def test_kb_name_chooses_for_one_call(ask: Asking, kb: str, write: Write) -> None:
    ask("create_knowledge_base", kb_name="other", chunk_size=64)
    path = str(write("a.txt", "text"))
    assert ask("import_document", file_paths=[path], kb_name="other")["kb_name"] == "other"
    assert ask("list_documents", kb_name="other")["total"] == 1
    assert ask("list_documents")["kb_name"] == kb
    assert ask("search", query="text", kb_name="other")["count"] == 1
    assert ask("delete_document", doc_name="a.txt", kb_name="other")["kb_name"] == "other"


@pytest.mark.usefixtures("kb")
def test_text_and_data_carry_the_same_facts_compactly(ask: Asking, write: Write) -> None:
    ask("import_document", file_paths=[str(write("a.txt", "向量检索"))])
    for result in (ask.result("search", query="检索"), ask.result("list_documents")):
        text = text_of(result)
        assert json.loads(text) == result.structured_content
        assert text == json.dumps(
            result.structured_content, ensure_ascii=False, separators=(",", ":")
        )
    assert "向量检索" in text_of(ask.result("search", query="检索"))
