"""MHTML: a web page in one file, as browsers and Word save it; e-mail has the same form."""

from email import message_from_bytes
from email.message import Message

from ragkb.document_text import DocumentText
from ragkb.errors import EmptyFile, NoText
from ragkb.readers.building import TextBuilder
from ragkb.readers.decoding import decode_declared
from ragkb.readers.html import read_html, read_html_in
from ragkb.readers.source import Source


def read_mhtml(source: Source) -> DocumentText:
    """Return the text of every page in the file in order, or its plain text without one."""
    message = message_from_bytes(source.content.lstrip())
    parts = [part for part in message.walk() if part.get_content_type() == "text/html"]
    pages = [page for page in (_page(source, part) for part in parts) if page is not None]
    builder = TextBuilder(source)
    for page in pages:
        _add(builder, page)
    if not pages:
        for part in message.walk():
            if part.get_content_type() == "text/plain":
                builder.paragraph(_plain(part))
    return builder.document("mhtml", title=pages[0].title if pages else "")


def _page(source: Source, part: Message) -> DocumentText | None:
    content = _payload(part)
    if not content.strip():
        return None
    charset = str(part.get_content_charset(""))
    page = Source(source.path, content, source.text_chars)
    try:
        return read_html_in(page, charset) if charset else read_html(page)
    except (NoText, EmptyFile):
        return None


def _add(builder: TextBuilder, page: DocumentText) -> None:
    levels = {heading.start: heading.level for heading in page.headings}
    at = 0
    for line in page.text.splitlines(keepends=True):
        builder.paragraph(line, levels.get(at))
        at += len(line)


def _plain(part: Message) -> str:
    decoded = decode_declared(_payload(part), str(part.get_content_charset("")))
    return decoded.text if decoded else ""


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""
