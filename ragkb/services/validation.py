"""What names and numbers may be; each function gives the clean value or raises InvalidInput."""

import unicodedata

from ragkb.errors import BlankName, BlankQuery, NameTooLong, NotANumber, OutOfRange

MOST_BASE_NAME = 200
MOST_DOCUMENT_NAME = 512
MOST_CHUNK_SIZE = 32_768
SMALL_CHUNK_SIZE = 32
MOST_TOP_K = 100
MOST_NEIGHBORS = 3


def base_name(name: str) -> str:
    """A knowledge base's name: trimmed, NFC, case kept."""
    return _name(name, "kb_name", MOST_BASE_NAME)


def document_name(name: str) -> str:
    """A document's name: trimmed, NFC, case kept."""
    return _name(name, "doc_name", MOST_DOCUMENT_NAME)


def chunk_size(value: object) -> int:
    """A chunk size in tokens; a text that holds a whole number counts as that number."""
    return within("chunk_size", value, 1, MOST_CHUNK_SIZE)


def top_k(value: object) -> int:
    """How many results are wanted; more than 100 is asked for but never given."""
    wanted = whole_number("top_k", value)
    if wanted < 1:
        raise OutOfRange("top_k", wanted, 1, MOST_TOP_K)
    return wanted


def neighbors(value: object) -> int:
    """How many chunks on each side of a hit are wanted."""
    return within("neighbors", value, 0, MOST_NEIGHBORS)


def within(argument: str, value: object, least: int, most: int) -> int:
    """A whole number between two bounds, both included."""
    number = whole_number(argument, value)
    if not least <= number <= most:
        raise OutOfRange(argument, number, least, most)
    return number


def query(text: str) -> str:
    """A query with at least one visible character."""
    if not _visible(text):
        raise BlankQuery
    return text.strip()


def whole_number(argument: str, value: object) -> int:
    """An int, or a text that is one; bool and float are neither."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        try:
            return int(value.strip())
        except ValueError:
            pass
    raise NotANumber(argument, value)


def _name(name: str, argument: str, most: int) -> str:
    clean = unicodedata.normalize("NFC", name).strip()
    if not _visible(clean):
        raise BlankName(argument)
    if len(clean) > most:
        raise NameTooLong(len(clean), most)
    return clean


def _visible(text: str) -> bool:
    return any(
        not character.isspace() and unicodedata.category(character) not in ("Cc", "Cf")
        for character in text
    )
