"""What a provider means by refusing a request: its own words, safe to show, and the remedy."""

import json
import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import cast

from ragkb.secret import Secret

WORDS_SHOWN = 200


class Kind(Enum):
    """Why a request was refused, as far as sending less at once would help."""

    TOO_MANY_TEXTS = auto()
    TOO_MUCH_TEXT = auto()
    TEXT_TOO_LONG = auto()
    TOO_LARGE = auto()
    OTHER = auto()


@dataclass(frozen=True)
class Refusal:
    """A status that trying again does not change; `limit` is a number of texts, if one is named."""

    status: int
    words: str
    kind: Kind
    limit: int | None = None


# In order; the first that matches counts. The texts are those of DashScope, SiliconFlow, Mistral,
# Voyage, Cohere, Gemini, Jina, Zhipu, OpenAI, Ollama, llama.cpp and text-embeddings-inference as
# quoted in issues of their users (memobase#142, ApeRAG#716, semantic-router#297, aichat#825,
# vercel/ai#16101, refly#831, llama.cpp#12295).
_MEANINGS = (
    (Kind.TEXT_TOO_LONG, r"physical batch size|context (length|size|window)"),
    (Kind.TOO_MUCH_TEXT, r"tokens?\b.*\b(batch|per request|overall|in total|all inputs)"),
    (Kind.TOO_MUCH_TEXT, r"(payload|request|body) size|request( entity)? too large"),
    (Kind.TOO_MANY_TEXTS, r"batch.?size|too many (inputs|texts|items|documents|requests in)"),
    (Kind.TOO_MANY_TEXTS, r"more batches|in one batch|array.{0,40}(long|max)|at most \d+ items"),
    (Kind.TOO_MANY_TEXTS, r"number of (texts|inputs|items|documents)|largest allowed size"),
    (Kind.TOO_MANY_TEXTS, r"数组|批次|批量|\d+\s*条"),
    (Kind.TEXT_TOO_LONG, r"tokens?\b|too long|too large|(input|sequence|max\w*).?length|过长|长度"),
)
_LIMIT = re.compile(
    r"(?:(?:larg|great)er than|more than|at most|exceed(?:s|ed)?|allowed|max(?:imum)?|limit|超过)"
    r"[a-z :=`'\"]{0,30}?(\d+)",
    re.IGNORECASE,
)
_SECRETS = (
    re.compile(
        r"(?i)((?:authorization|api[-_ ]?key|access[-_]token|secret)[\"']?\s*[:=]\s*[\"']?)"
        r"(?:bearer\s+)?[^\s\"',;}]+"
    ),
    re.compile(r"(?i)(bearer\s+)(?=\S*\d|\S{20})\S{4,}"),
    re.compile(r"(?<![A-Za-z0-9])()(?:sk|pk|ak|key)-[A-Za-z0-9_*.-]{4,}"),
    re.compile(r"(?<![A-Za-z0-9_-])()(?=[A-Za-z_-]*\d)(?=[0-9_-]*[A-Za-z])[A-Za-z0-9_-]{24,}"),
)
# A 500 that blames the text: trying again gives the same (llama.cpp, Ollama).
_TEXT_AT_FAULT = re.compile(r"physical batch size|context (length|size|window)|unsupported value")


def read_refusal(status: int, body: bytes, texts: int, key: Secret | None) -> Refusal:
    """Understand an error answer to a request of so many texts."""
    words = _words(body)
    kind = _kind(status, words)
    limit = _named_limit(words, texts) if kind is Kind.TOO_MANY_TEXTS else None
    return Refusal(status, masked(words, key)[:WORDS_SHOWN], kind, limit)


def blames_text(body: bytes) -> bool:
    """Whether a server error is about what was sent, so that waiting is of no use."""
    return bool(_TEXT_AT_FAULT.search(_words(body)))


def masked(text: str, key: Secret | None) -> str:
    """Take the key, and whatever looks like one, out of somebody else's text."""
    if key:
        text = text.replace(key.reveal(), "***")
    for pattern in _SECRETS:
        text = pattern.sub(r"\1***", text)
    return text


def _kind(status: int, words: str) -> Kind:
    for kind, pattern in _MEANINGS:
        if re.search(pattern, words, re.IGNORECASE):
            return kind
    return Kind.TOO_LARGE if status == 413 else Kind.OTHER


def _named_limit(words: str, texts: int) -> int | None:
    """The number that the words name as the most, if it is one that this request exceeds."""
    named = [int(number) for number in _LIMIT.findall(words)]
    return max((number for number in named if 1 <= number < texts), default=None)


def _words(body: bytes) -> str:
    """The message in an error answer, wherever the provider put it, else the answer's text."""
    text = body.decode("utf-8", "replace").strip()
    if text[:1] == "<":
        return "an HTML page"
    try:
        found = message_in(json.loads(text))
    except (ValueError, RecursionError):
        found = text
    return " ".join((found or text).split()) or "no explanation"


def message_in(answer: object) -> str:
    """Look where providers put their sentence."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, list) and answer:
        return message_in(cast("list[object]", answer)[0])
    if not isinstance(answer, dict):
        return ""
    fields = cast("dict[str, object]", answer)
    places = ("error", "message", "detail", "msg", "error_msg", "errors")
    return next((found for place in places if (found := message_in(fields.get(place)))), "")
