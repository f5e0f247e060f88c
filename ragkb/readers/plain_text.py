"""Plain text of any name; Markdown with its headings, CSV as rows."""

import csv
import re
from collections.abc import Iterator
from io import StringIO

from ragkb.document_text import DocumentText, Heading
from ragkb.errors import EmptyFile, UnsupportedType
from ragkb.readers.building import TextBuilder
from ragkb.readers.cleaning import clean_exactly
from ragkb.readers.decoding import Decoded, decode
from ragkb.readers.kinds import SUPPORTED_TYPES
from ragkb.readers.source import Source

MARKDOWN = frozenset({"md", "markdown", "mdown"})
TABLES = {"csv": ",;\t|", "tsv": "\t"}
FENCE = re.compile(r"^ {0,3}(```|~~~)")
ATX_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")


def read_text(source: Source) -> DocumentText:
    """Return the text as it stands; raises EmptyFile, UnsupportedType for what is no text."""
    decoded = decode(source.content)
    if decoded is None:
        raise UnsupportedType(source.path, "", SUPPORTED_TYPES)
    text = clean_exactly(decoded.text)
    if not text.strip():
        raise EmptyFile(source.path)
    if len(text) > source.text_chars:
        raise source.too_large(f"{source.text_chars:,} characters")
    if source.extension in TABLES:
        return _read_table(source, Decoded(text, decoded.encoding))
    markdown = source.extension in MARKDOWN
    return DocumentText(
        file_type="md" if markdown else "txt",
        text=text,
        encoding=decoded.encoding,
        headings=tuple(_markdown_headings(text)) if markdown else (),
    )


def _markdown_headings(text: str) -> Iterator[Heading]:
    """Headings that begin with #, outside of fenced code; the slice leaves the # out."""
    fence = ""
    at = 0
    for line in text.splitlines(keepends=True):
        if mark := FENCE.match(line):
            fence = "" if fence == mark[1] else fence or mark[1]
        elif not fence and (heading := ATX_HEADING.match(line.rstrip("\n"))) and heading[2]:
            yield Heading(at + heading.start(2), at + heading.end(2), len(heading[1]))
        at += len(line)


def _read_table(source: Source, decoded: Decoded) -> DocumentText:
    """Rows as lines; what the csv module cannot take apart stays as it is."""
    builder = TextBuilder(source)
    try:
        dialect = csv.Sniffer().sniff(decoded.text[:20_000], TABLES[source.extension])
        for row in csv.reader(StringIO(decoded.text), dialect):
            builder.row(row)
    except csv.Error:
        return DocumentText(file_type="txt", text=decoded.text, encoding=decoded.encoding)
    return builder.document(source.extension, encoding=decoded.encoding)
