from io import BytesIO

import pytest

from ragkb.document_text import DocumentText, Heading
from ragkb.errors import DamagedFile, FileRefused, NoText
from ragkb.readers.answers import document_from_frame, document_to_frame, refusal_to_head
from ragkb.readers.frames import BrokenFrame, read_frame, write_frame

DOCUMENT = DocumentText(
    file_type="pdf",
    text="第一页😀\n第二页\n",
    title="标题",
    encoding="",
    pages=(0, 5),
    headings=(Heading(0, 3, 1),),
    pages_without_text=(3,),
    pages_garbled=(4,),
    pages_by_ocr=(1, 2),
)


def through_a_pipe(head: dict[str, object], text: str = "") -> tuple[dict[str, object], str]:
    pipe = BytesIO()
    write_frame(pipe, head, text)
    pipe.seek(0)
    return read_frame(pipe, text_limit=1000)


def test_a_document_survives_the_pipe() -> None:
    head, text = through_a_pipe(*document_to_frame(DOCUMENT))
    assert document_from_frame(head, text, "a.pdf") == DOCUMENT


def test_a_refusal_survives_with_the_path_that_the_parent_knows() -> None:
    head, text = through_a_pipe(refusal_to_head(DamagedFile("/other/path", "PDF", "cut off")))
    with pytest.raises(DamagedFile) as refused:
        document_from_frame(head, text, "报告.pdf")
    assert vars(refused.value) == {"path": "报告.pdf", "file_type": "PDF", "detail": "cut off"}


def test_every_refusal_can_cross() -> None:
    assert len(FileRefused.__subclasses__()) > 10
    head = refusal_to_head(NoText("a", 3))
    with pytest.raises(NoText) as refused:
        document_from_frame(head, "", "b")
    assert refused.value.pages == 3


@pytest.mark.parametrize(
    "content",
    [b"", b"\0\0\0\x02", b"\0\0\0\x02\0\0\0\0[]", b"\0\0\0\x02\0\0\0\0{!", b"\xff" * 8],
)
def test_what_is_no_frame_is_refused(content: bytes) -> None:
    with pytest.raises(BrokenFrame):
        read_frame(BytesIO(content), text_limit=1000)


def test_a_text_above_the_limit_is_not_received() -> None:
    pipe = BytesIO()
    write_frame(pipe, {}, "a" * 2000)
    pipe.seek(0)
    with pytest.raises(BrokenFrame):
        read_frame(pipe, text_limit=1000)


def test_an_unknown_answer_is_refused() -> None:
    heads: list[dict[str, object]] = [
        {"refused": "SystemExit", "values": {}},
        {"file_type": "txt"},
    ]
    for head in heads:
        with pytest.raises(BrokenFrame):
            document_from_frame(head, "", "a")
