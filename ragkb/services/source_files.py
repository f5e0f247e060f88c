"""The file of a merge: which one it is, and whether its content can be believed."""

import os
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.orm import Session

from ragkb.database import create_sqlite_engine
from ragkb.errors import FileMissing, InvalidInput, SourceDamaged, SourceForeign
from ragkb.models import DamagedValue
from ragkb.repositories.integrity import Integrity
from ragkb.repositories.knowledge_bases import KnowledgeBaseRepository
from ragkb.services import validation


def source_file(path: str) -> Path:
    """The file that a path means, if it is one; a pipe would never end."""
    source = Path(os.path.expanduser(path)).absolute()  # noqa: PTH111  # see canonical
    try:
        mode = source.stat().st_mode
    except OSError as error:
        raise FileMissing(str(source)) from error
    if not stat.S_ISREG(mode):
        raise SourceForeign(str(source), "it is no file but a folder, a pipe or a device")
    return source


def is_same(path: Path, other: Path) -> bool:
    """Whether two paths lead to one file."""
    try:
        return path.samefile(other)
    except OSError:
        return False


@contextmanager
def private_folder() -> Generator[Path]:
    """A folder that only we can read, gone at the end."""
    with tempfile.TemporaryDirectory(prefix="ragkb-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def session_on(source: Path, clean: Path) -> Generator[Session]:
    """A session on the clean file; what is wrong with its values is said of the source."""
    engine = create_sqlite_engine(clean)
    try:
        with Session(engine) as session:
            yield session
    except DamagedValue as error:
        raise SourceDamaged(str(source), str(error)) from error
    finally:
        engine.dispose()


def check_content(source: Path, session: Session) -> None:
    """SourceDamaged where rows contradict each other, which integrity_check cannot see."""
    integrity = Integrity(session)
    for base in KnowledgeBaseRepository(session).all():
        try:
            validation.base_name(base.name)
        except InvalidInput as error:
            raise SourceDamaged(str(source), f"the name {base.name!r:.80} of a base") from error
        if damaged := integrity.damaged_documents(base.id):
            raise SourceDamaged(str(source), next(iter(damaged.values())))
        if integrity.cut_wrongly(base.id):
            raise SourceDamaged(str(source), "a chunk does not stand in its document")
        if integrity.damaged_vectors(base.id):
            raise SourceDamaged(str(source), "a vector is malformed")
