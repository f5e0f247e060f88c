"""What a call may bring: lenient where models are careless, plain in the schema they are shown."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from ragkb.errors import BadArgument, InvalidInput, MissingArgument
from ragkb.mcp.wording import label
from ragkb.messages import Language
from ragkb.services.validation import MOST_CHUNK_SIZE, MOST_NEIGHBORS

ABSENT = ("", "null")
MOST_SHOWN = 60  # characters of a wrong value


def _no_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a truth value is no number")  # noqa: TRY004  # pydantic expects it
    return value


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


_Whole = Annotated[int, BeforeValidator(_no_bool)]
_Absent = SkipJsonSchema[None]

OptionalText = str | _Absent
OptionalFlag = bool | _Absent
OptionalWhole = _Whole | _Absent
Paths = Annotated[list[str], BeforeValidator(_as_list)]
ChunkSize = Annotated[_Whole, Field(json_schema_extra={"minimum": 1, "maximum": MOST_CHUNK_SIZE})]
OptionalChunkSize = Annotated[
    _Whole | _Absent, Field(json_schema_extra={"minimum": 1, "maximum": MOST_CHUNK_SIZE})
]
OptionalNeighbors = Annotated[
    _Whole | _Absent, Field(json_schema_extra={"minimum": 0, "maximum": MOST_NEIGHBORS})
]


def given(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without those that stand for nothing: null, "" and "null" where optional."""
    required = schema.get("required", ())
    return {
        name: value
        for name, value in arguments.items()
        if name in required or not (value is None or value in ABSENT)
    }


def shown_schema(schema: dict[str, Any], language: Language, **values: object) -> dict[str, Any]:
    """A tool's input schema as it is shown: described, without titles and null defaults."""
    required = schema.get("required", [])
    properties: dict[str, Any] = {}
    for name, found in schema["properties"].items():
        kept = {key: value for key, value in found.items() if key not in ("title", "default")}
        key = f"parameter.{name}" if name in required else f"parameter.{name}.optional"
        properties[name] = {**kept, "description": label(key, language, **values)}
    shown = {"type": "object", "properties": properties}
    return {**shown, "required": required} if required else shown


def bare_schema(schema: Any) -> Any:
    """A schema without the titles and descriptions that pydantic makes of names and docstrings."""
    if isinstance(schema, list):
        return [bare_schema(each) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    members = cast("dict[str, Any]", schema)
    return {
        key: _members(value) if key in ("properties", "$defs") else bare_schema(value)
        for key, value in members.items()
        if key not in ("title", "description")
    }


def _members(named: Mapping[str, Any]) -> dict[str, Any]:
    return {name: bare_schema(schema) for name, schema in named.items()}


def refused(tool: str, schema: Mapping[str, Any], error: ValidationError) -> InvalidInput:
    """The first thing that is wrong with a call, as one of our errors."""
    wrong = error.errors(include_url=False, include_context=False)[0]
    name = str(wrong["loc"][0]) if wrong["loc"] else ""
    if wrong["type"] == "missing" or wrong["input"] is None:
        return MissingArgument(tool, name)
    described = schema["properties"].get(name, {})
    kind = str(described.get("type", "object"))
    if kind == "array":
        kind = f"array of {described['items']['type']}"
    return BadArgument(name, shortened(wrong["input"]), kind)


def shortened(value: object) -> object:
    """A value that may be shown in a sentence: a long one is cut."""
    text = repr(value)
    return value if len(text) <= MOST_SHOWN else _Shown(f"{text[:MOST_SHOWN]}…")


class _Shown(str):
    """A text that is its own representation."""

    def __repr__(self) -> str:
        return str(self)
