"""Everything that ragkb refuses or fails at, as one tree.

RagError
├── InvalidInput            what was asked for cannot be meant: nothing was tried
│   ├── BlankName  NameTooLong  NotANumber  OutOfRange  BlankQuery  InvalidEndpoint
│   ├── MissingArgument  UnknownArgument  UnknownCommand  MissingKey  BadSetting
│   ├── MissingEndpoint  MissingModel  BadArgument  EndpointNotAllowed  KeyNotAllowed
│   ├── TokenNeeded  AddressInUse  UnknownClient  NoConfigFile  UnreadableConfig
├── NotFound
│   ├── NoSuchBase  NoSuchDocument  NothingSelected  NoModelChange  NothingToExport
├── Conflict
│   ├── BaseExists  BaseIsCurrent  OldVectorsKept  ExportExists
├── SourceRefused           a file that was to be merged or verified; kb.db is as it was
│   ├── SourceIsLive  SourceForeign  SourceDamaged  SourceChanging  NoManifest
├── FileRefused             one file of an import; the others go on
│   ├── FileMissing  IsDirectory  NotADirectory  NotRegularFile  FileTooLarge  UnreadablePath
│   ├── EmptyFile  NoText  GarbledText  PasswordProtected  DamagedFile  Mislabelled  UnsupportedType
│   ├── ReadingTimedOut  ReadingTooLarge  ReaderCrashed  OcrUnusable
│   ├── RelativePath  ForbiddenPlace  OutsideRoots
├── EmbeddingFailed         the text is stored; its vectors are not, or not all
│   ├── EndpointUnreachable  EndpointRefused  EndpointBusy  BadAnswer  WrongDimension
│   ├── VectorsDiffer  ModelUnavailable  PartlyEmbedded
├── InstallationDamaged     a file that ragkb ships is not what it was
└── DatabaseFailed
    ├── NotADatabase  NewerDatabase  DatabaseDamaged  DatabaseReadOnly  DatabaseBusy
    ├── DiskFailed  NoExtension  UpgradeFailed  NoSpace  NotEnoughSpace  ExportUnwritable

Every error carries its data as fields; the sentences live in `ragkb.messages.failures`, one entry
for each class (some have variants), and are made at the edge that shows them.
"""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from ragkb.messages import Language, Note, say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RagError(Exception):
    """Anything that ragkb tells its user instead of doing what was asked."""

    @property
    def message_key(self) -> str:
        """The entry of the catalogue that words this error."""
        return type(self).__name__

    def values(self) -> dict[str, object]:
        """The data of this error, as the catalogue's placeholders name it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def text(self, language: Language) -> str:
        """Say what is the matter and what to do next."""
        return say(self.message_key, language, **self.values())

    def as_note(self) -> Note:
        """The same sentence as a value, to be stored."""
        return Note(self.message_key, self.values())

    def __str__(self) -> str:
        return self.text("en")

    def __reduce__(self) -> tuple[Any, ...]:
        """Cross process borders by the data alone."""
        return type(self), tuple(self.values().values())


class InvalidInput(RagError):
    """What was asked for cannot be meant."""


class NotFound(RagError):
    """What was named does not exist."""


class Conflict(RagError):
    """What was asked for contradicts what is there."""


class FileRefused(RagError):
    """One file cannot be imported; the others of the same call go on."""


class SourceRefused(RagError):
    """A file that was to be merged or verified; the database is as it was."""


class EmbeddingFailed(RagError):
    """Vectors could not be made; stored text stays searchable by keyword."""


class DatabaseFailed(RagError):
    """The database cannot be opened or used."""


@dataclass(eq=False)
class InstallationDamaged(RagError):
    """A file that ragkb is installed with is not the one that was shipped."""

    file: str


@dataclass(eq=False)
class BlankName(InvalidInput):
    """A base or document name is blank."""

    what: str


@dataclass(eq=False)
class NameTooLong(InvalidInput):
    """A name exceeds its limit in characters."""

    length: int
    limit: int


@dataclass(eq=False)
class NotANumber(InvalidInput):
    """An argument that must be a whole number is something else."""

    argument: str
    value: object


@dataclass(eq=False)
class OutOfRange(InvalidInput):
    """A number lies outside its bounds, both included."""

    argument: str
    value: object
    least: float
    most: float


@dataclass(eq=False)
class BlankQuery(InvalidInput):
    """A search without a word to search for."""


@dataclass(eq=False)
class InvalidEndpoint(InvalidInput):
    """An embedding endpoint that is not an http(s) address, or one that carries a key."""

    endpoint: str
    carries_key: bool = False

    @property
    def message_key(self) -> str:
        return "InvalidEndpoint.key" if self.carries_key else "InvalidEndpoint"


@dataclass(eq=False)
class MissingEndpoint(InvalidInput):
    """A model that is not built in was named without the endpoint that has it."""

    model: str


@dataclass(eq=False)
class MissingModel(InvalidInput):
    """An endpoint was named without the model to ask it for."""

    endpoint: str


@dataclass(eq=False)
class MissingKey(InvalidInput):
    """`env:NAME` names an environment variable that is not set."""

    variable: str


@dataclass(eq=False)
class BadSetting(InvalidInput):
    """A setting from the environment or config.toml has an impossible value."""

    setting: str
    value: str
    expected: str


@dataclass(eq=False)
class BadArgument(InvalidInput):
    """An argument of a tool has the wrong type; `expected` is one of JSON Schema's type names."""

    argument: str
    value: object
    expected: str


@dataclass(eq=False)
class EndpointNotAllowed(InvalidInput):
    """A tool call named an embedding endpoint that is not in RAGKB_ALLOWED_ENDPOINTS (`line`)."""

    endpoint: str
    line: str


@dataclass(eq=False)
class KeyNotAllowed(InvalidInput):
    """A tool call named an environment variable that is not one of ours as its key."""

    variable: str


@dataclass(eq=False)
class TokenNeeded(InvalidInput):
    """A server that other machines reach was started without a token, or with an empty one."""

    host: str


@dataclass(eq=False)
class AddressInUse(InvalidInput):
    """The server cannot listen on an address; `reason` is the operating system's sentence."""

    address: str
    reason: str


@dataclass(eq=False)
class UnknownClient(InvalidInput):
    """`setup` does not know a client of that name; `known` lists those it does."""

    client: str
    known: str


@dataclass(eq=False)
class NoConfigFile(InvalidInput):
    """A client whose configuration is not a file that can be written."""

    client: str


@dataclass(eq=False)
class UnreadableConfig(InvalidInput):
    """A client's configuration file is not the JSON object it should be; it was not touched."""

    path: str
    reason: str


@dataclass(eq=False)
class MissingArgument(InvalidInput):
    """A command was called without an argument that it needs."""

    command: str
    argument: str


@dataclass(eq=False)
class UnknownArgument(InvalidInput):
    """A command was called with an argument that it does not have."""

    command: str
    argument: str


@dataclass(eq=False)
class UnknownCommand(InvalidInput):
    """No such command; `near` is the closest that exists, or empty."""

    command: str
    near: str

    @property
    def message_key(self) -> str:
        return "UnknownCommand.near" if self.near else "UnknownCommand"


@dataclass(eq=False)
class NoSuchBase(NotFound):
    """No knowledge base of that name; `existing` lists the names there are."""

    name: str
    existing: tuple[str, ...] = ()

    @property
    def message_key(self) -> str:
        return "NoSuchBase" if self.existing else "NoSuchBase.none"

    def values(self) -> dict[str, object]:
        return {"name": self.name, "existing": nearest_first(self.name, self.existing)}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.existing)


@dataclass(eq=False)
class NoSuchDocument(NotFound):
    """No document of that name in the base; `existing` lists some that there are."""

    name: str
    kb_name: str
    existing: tuple[str, ...] = ()

    @property
    def message_key(self) -> str:
        return "NoSuchDocument" if self.existing else "NoSuchDocument.none"

    def values(self) -> dict[str, object]:
        existing = nearest_first(self.name, self.existing)
        return {"name": self.name, "kb_name": self.kb_name, "existing": existing}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.kb_name, self.existing)


@dataclass(eq=False)
class NothingSelected(NotFound):
    """No knowledge base was named and none is selected; `existing` lists the names there are."""

    existing: tuple[str, ...] = ()

    @property
    def message_key(self) -> str:
        return "NothingSelected" if self.existing else "NothingSelected.none"

    def values(self) -> dict[str, object]:
        return {"existing": nearest_first("", self.existing)}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.existing,)


@dataclass(eq=False)
class NothingToExport(NotFound):
    """There is no database yet."""

    path: str


@dataclass(eq=False)
class BaseExists(Conflict):
    """The name of a new knowledge base is taken."""

    name: str


@dataclass(eq=False)
class BaseIsCurrent(Conflict):
    """The selected knowledge base is not deleted by accident."""

    name: str


@dataclass(eq=False)
class ExportExists(Conflict):
    """There is a file where an export was to be written."""

    path: str


@dataclass(eq=False)
class SourceIsLive(SourceRefused):
    """The live database, or a file that belongs to it, was named where another one is meant."""

    path: str


@dataclass(eq=False)
class SourceForeign(SourceRefused):
    """No database of ragkb: empty, encrypted, of another program; `detail` says what was found."""

    path: str
    detail: str


@dataclass(eq=False)
class SourceDamaged(SourceRefused):
    """A database of ragkb with broken content; `detail` says where, in a few words."""

    path: str
    detail: str


@dataclass(eq=False)
class SourceChanging(SourceRefused):
    """Another program kept writing the file while it was being copied."""

    path: str


@dataclass(eq=False)
class NoManifest(SourceRefused):
    """A file that was not made by an export, so there is nothing to verify it against."""

    path: str


@dataclass(eq=False)
class FileMissing(FileRefused):
    """There is no such file."""

    path: str


@dataclass(eq=False)
class IsDirectory(FileRefused):
    """A directory was given where a file is meant."""

    path: str


@dataclass(eq=False)
class NotADirectory(FileRefused):
    """A file was given where a directory is meant."""

    path: str


@dataclass(eq=False)
class NotRegularFile(FileRefused):
    """A pipe, a device or a socket."""

    path: str


@dataclass(eq=False)
class UnreadablePath(FileRefused):
    """The operating system does not let us read the path; `reason` is its own sentence."""

    path: str
    reason: str


@dataclass(eq=False)
class FileTooLarge(FileRefused):
    """A file above the size limit; both numbers in megabytes."""

    path: str
    megabytes: int
    limit: int


@dataclass(eq=False)
class EmptyFile(FileRefused):
    """The file holds nothing, or nothing but white space."""

    path: str


@dataclass(eq=False)
class NoText(FileRefused):
    """A readable document without text: `pages` of it, 0 where the format has none.

    `ocr_tried`: OCR found nothing on them either.
    """

    path: str
    pages: int = 0
    ocr_tried: bool = False

    @property
    def message_key(self) -> str:
        if self.ocr_tried:
            return "NoText.ocr_tried"
        return "NoText.pages" if self.pages else "NoText"


@dataclass(eq=False)
class GarbledText(FileRefused):
    """The pages show text, but which characters their glyphs stand for is not in the file."""

    path: str


@dataclass(eq=False)
class PasswordProtected(FileRefused):
    """The document opens only with a password."""

    path: str


@dataclass(eq=False)
class DamagedFile(FileRefused):
    """The file's structure is broken; `detail` says where, in a few words."""

    path: str
    file_type: str
    detail: str


@dataclass(eq=False)
class Mislabelled(FileRefused):
    """The name says one kind of file, the content is another."""

    path: str
    named: str
    found: str


@dataclass(eq=False)
class UnsupportedType(FileRefused):
    """The content is of a kind that has no reader; `supported` lists the kinds that have.

    `found` names the kind, or is empty when it is not known. `ocr` is set for pictures: "missing"
    when the extra that reads them is not installed, "silent" when it found no text.
    """

    path: str
    found: str
    supported: str
    ocr: Literal["", "missing", "silent"] = ""

    @property
    def message_key(self) -> str:
        if self.ocr:
            return f"UnsupportedType.ocr_{self.ocr}"
        return "UnsupportedType" if self.found else "UnsupportedType.unknown"


@dataclass(eq=False)
class ReadingTimedOut(FileRefused):
    """The reader did not finish in time and was stopped."""

    path: str
    seconds: int


@dataclass(eq=False)
class ReadingTooLarge(FileRefused):
    """The document unfolds to more memory or text than the reader may use (a bomb, mostly)."""

    path: str
    limit: str


@dataclass(eq=False)
class OcrUnusable(FileRefused):
    """The extra for OCR is installed but does not start; `reason` is the system's own sentence."""

    path: str
    reason: str


@dataclass(eq=False)
class ReaderCrashed(FileRefused):
    """The child process that read the file died."""

    path: str


@dataclass(eq=False)
class RelativePath(FileRefused):
    """A client of the server gave a path that depends on a current folder."""

    path: str


@dataclass(eq=False)
class ForbiddenPlace(FileRefused):
    """A place of the system, of secrets or of ragkb itself, which no client may name."""

    path: str


@dataclass(eq=False)
class OutsideRoots(FileRefused):
    """A path outside RAGKB_ALLOWED_ROOTS; with `line` as its value the path would be inside."""

    path: str
    line: str


@dataclass(eq=False)
class EndpointUnreachable(EmbeddingFailed):
    """No answer from the embedding endpoint after all retries."""

    endpoint: str
    reason: str


@dataclass(eq=False)
class EndpointRefused(EmbeddingFailed):
    """The endpoint answered with a status that trying again does not change."""

    endpoint: str
    status: int
    reason: str

    @property
    def message_key(self) -> str:
        if self.status in (401, 403):
            return "EndpointRefused.key"
        elsewhere = self.status in (404, 405) or 300 <= self.status < 400
        return "EndpointRefused.address" if elsewhere else "EndpointRefused"


@dataclass(eq=False)
class EndpointBusy(EmbeddingFailed):
    """The endpoint kept answering 429 or 5xx for longer than we wait."""

    endpoint: str
    status: int
    seconds: int


@dataclass(eq=False)
class BadAnswer(EmbeddingFailed):
    """The endpoint answered 200 with something that is not one vector for each text."""

    endpoint: str
    problem: str


@dataclass(eq=False)
class WrongDimension(EmbeddingFailed):
    """The model gives vectors of another dimension than the base holds."""

    model: str
    expected: int
    got: int


@dataclass(eq=False)
class VectorsDiffer(EmbeddingFailed):
    """Another model than the one that made the stored vectors; `cosine` is how alike they are."""

    kb_name: str
    model: str
    cosine: float


@dataclass(eq=False)
class NoModelChange(NotFound):
    """There is no change of a base's model to go on with, to undo or to settle."""

    kb_name: str


@dataclass(eq=False)
class OldVectorsKept(Conflict):
    """The last change of a base's model can still be undone, which a new one would prevent."""

    kb_name: str
    model: str


@dataclass(eq=False)
class ModelUnavailable(EmbeddingFailed):
    """A built-in model that this installation does not have; `extra` is what would bring it."""

    model: str
    known: str
    extra: str = ""

    @property
    def message_key(self) -> str:
        return "ModelUnavailable.extra" if self.extra else "ModelUnavailable"


@dataclass(eq=False)
class PartlyEmbedded(EmbeddingFailed):
    """Of `total` texts those in `vectors`, by position, are done; `reason` stopped the others."""

    reason: EmbeddingFailed
    vectors: "dict[int, NDArray[np.float32]]"
    total: int

    def values(self) -> dict[str, object]:
        return {"missing": self.total - len(self.vectors), "total": self.total}

    def text(self, language: Language) -> str:
        return say(self.message_key, language, **self.values(), reason=self.reason.text(language))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.vectors, self.total)


@dataclass(eq=False)
class NotADatabase(DatabaseFailed):
    """The file is no SQLite database, or one of another program."""

    path: str


@dataclass(eq=False)
class NewerDatabase(DatabaseFailed):
    """The file was written by a newer ragkb; `found` and `known` are schema revisions."""

    path: str
    found: str
    known: str


@dataclass(eq=False)
class DatabaseDamaged(DatabaseFailed):
    """SQLite reports that the file is malformed."""

    path: str
    detail: str


@dataclass(eq=False)
class DatabaseReadOnly(DatabaseFailed):
    """The file or its folder cannot be written."""

    path: str


@dataclass(eq=False)
class DatabaseBusy(DatabaseFailed):
    """Another program held the database's lock for longer than we wait."""

    path: str


@dataclass(eq=False)
class DiskFailed(DatabaseFailed):
    """The operating system could not read or write a part of the file; `detail` is SQLite's."""

    path: str
    detail: str


@dataclass(eq=False)
class NoExtension(DatabaseFailed):
    """This Python's SQLite cannot load extensions or is too old; `reason` says which."""

    reason: str


@dataclass(eq=False)
class UpgradeFailed(DatabaseFailed):
    """An upgrade could not be finished; the file is as it was."""

    path: str
    detail: str


@dataclass(eq=False)
class NoSpace(DatabaseFailed):
    """The disk is full; the change was not made."""

    path: str


@dataclass(eq=False)
class NotEnoughSpace(DatabaseFailed):
    """An upgrade was not begun because it might fill the disk; both numbers in megabytes."""

    path: str
    needed: int
    free: int


@dataclass(eq=False)
class ExportUnwritable(DatabaseFailed):
    """An export cannot be written at that place; `reason` is the operating system's sentence."""

    path: str
    reason: str


def nearest_first(name: str, existing: tuple[str, ...], most: int = 10) -> str:
    """Join up to `most` of the existing names, the one most like `name` first."""
    from difflib import SequenceMatcher

    def likeness(other: str) -> float:
        return SequenceMatcher(None, name.casefold(), other.casefold()).ratio()

    ordered = sorted(existing, key=likeness, reverse=True)[:most]
    return ", ".join(ordered) + (", …" if len(existing) > most else "")
