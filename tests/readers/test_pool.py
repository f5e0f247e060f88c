"""Real child processes on real files."""

# pyright: reportPrivateUsage=false
# Which processes there are is nobody's business but the pool's and its tests'.

import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest
from making_docx import docx, paragraph
from making_pdf import bomb_pdf, latin_pdf

from ragkb.errors import (
    FileMissing,
    FileRefused,
    IsDirectory,
    ReaderCrashed,
    ReadingTimedOut,
    ReadingTooLarge,
    UnreadablePath,
)
from ragkb.readers import ReaderLimits, Readers
from ragkb.readers.frames import read_frame, write_frame

SMALL = ReaderLimits(memory_bytes=700_000_000)


@pytest.fixture
def bomb(tmp_path: Path) -> Path:
    path = tmp_path / "bomb.pdf"
    path.write_bytes(bomb_pdf(90_000_000))
    return path


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "好文件.txt"
    path.write_text("正文", encoding="utf-8")
    return path


def test_a_file_is_read_in_a_child_that_serves_the_next_one_too(good: Path) -> None:
    with Readers(workers=1) as readers:
        assert readers.read(good).text == "正文"
        (first,) = readers._children.alive
        assert readers.read(good).text == "正文"
        assert readers._children.alive == {first}
        assert first.process.pid != os.getpid()


def test_a_bomb_fails_with_a_reason_and_the_next_file_is_read(bomb: Path, good: Path) -> None:
    with Readers(SMALL, workers=1) as readers:
        with pytest.raises(ReadingTooLarge) as refused:
            readers.read(bomb)
        assert refused.value.path == str(bomb)
        assert "560 MB" in str(refused.value)
        assert readers.read(good).text == "正文"


def test_a_file_that_takes_too_long_is_given_up(tmp_path: Path, good: Path) -> None:
    slow = tmp_path / "slow.csv"
    slow.write_bytes(b"1;2;3;4;5;6;7;8\n" * 3_000_000)
    limits = ReaderLimits(seconds=0.3, seconds_per_megabyte=0)
    with Readers(limits, workers=1) as readers, pytest.raises(ReadingTimedOut):
        readers.read(slow)
    with Readers(workers=1) as readers:
        assert readers.read(good).text == "正文"


def test_a_child_that_dies_fails_its_file_only(bomb: Path, good: Path) -> None:
    with Readers(workers=1) as readers:
        assert readers.read(good).text == "正文"
        (child,) = readers._children.alive
        reading = threading.Thread(target=lambda: _read_quietly(readers, bomb, outcomes))
        outcomes: list[object] = []
        reading.start()
        child.process.kill()
        reading.join()
        assert isinstance(outcomes[0], ReaderCrashed)
        assert readers.read(good).text == "正文"
        assert child not in readers._children.alive


def _read_quietly(readers: Readers, path: Path, outcomes: list[object]) -> None:
    try:
        outcomes.append(readers.read(path))
    except FileRefused as refusal:
        outcomes.append(refusal)


def test_many_threads_share_a_few_children(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.docx" for number in range(30)]
    for number, path in enumerate(paths):
        path.write_bytes(docx(paragraph(f"第{number}篇")))
    with Readers(workers=2) as readers, ThreadPoolExecutor(8) as threads:
        texts = [document.text for document in threads.map(readers.read, paths)]
        assert len(readers._children.alive) <= 2
    assert texts == [f"第{number}篇\n" for number in range(30)]


def test_good_and_bad_files_each_have_their_outcome(tmp_path: Path) -> None:
    contents = {
        "pdf": [latin_pdf(["Page."]), b"%PDF-1.7 cut", b"<html>404</html>", b""],
        "docx": [docx(paragraph("好")), b"PK\x03\x04 broken", bytes(3000), docx("<w:p/>")],
        "txt": ["正文".encode("gbk"), b"\xff\xd8\xff\xe0" + bytes(99), b" \n", b"plain"],
    }
    paths = [
        tmp_path / f"{index}-{number}.{extension}"
        for extension, kinds in contents.items()
        for index in range(len(kinds))
        for number in range(12)
    ]
    for path in paths:
        path.write_bytes(contents[path.suffix[1:]][int(path.name[0])])
    outcomes: list[object] = []
    with Readers(workers=2) as readers, ThreadPoolExecutor(4) as threads:
        for path in paths:
            threads.submit(_read_quietly, readers, path, outcomes)
    assert len(outcomes) == len(paths) == 144
    assert sum(isinstance(each, FileRefused) for each in outcomes) == 108 - 12


def test_paths_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    with Readers(workers=1) as readers:
        with pytest.raises(FileMissing):
            readers.read(tmp_path / "none.txt")
        with pytest.raises(UnreadablePath):
            readers.read(Path("a\0b.txt"))
        with pytest.raises((IsDirectory, UnreadablePath)):
            readers.read(tmp_path)


def test_closed_readers_leave_no_process(good: Path) -> None:
    readers = Readers(workers=1)
    readers.read(good)
    (child,) = readers._children.alive
    readers.close()
    assert child.process.returncode is not None
    with pytest.raises(RuntimeError):
        readers.read(good)


def test_a_child_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    from ragkb.readers.child_process import _environment

    monkeypatch.setenv("RAGKB_EMBEDDING_API_KEY", "secret-1")
    monkeypatch.setenv("OPENAI_API_KEY", "secret-2")
    monkeypatch.setenv("MY_Token", "secret-3")
    assert not any("secret-" in value for value in _environment().values())


@pytest.mark.parametrize("locale", ["C", "zh_CN.GBK"])
def test_readers_work_anywhere(tmp_path: Path, locale: str) -> None:
    """From /, without HOME, in a GBK locale, on a name that the locale cannot write."""
    path = tmp_path / "文件😀.txt"
    path.write_bytes("正文".encode("gbk"))
    program = f"""
        from pathlib import Path
        from ragkb.readers import Readers
        with Readers(workers=1) as readers:
            print(readers.read(Path({str(path)!r})).text == "正文")
    """
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "error", "-c", textwrap.dedent(program)],
        cwd=Path(path.anchor),
        env={**kept, "LC_ALL": locale},
        capture_output=True,
        check=False,
    )
    assert done.stdout.split() == [b"True"], done.stderr


def test_a_child_works_where_the_platform_has_no_resource_limits(good: Path) -> None:
    program = (
        "import sys; sys.modules['resource'] = None; "
        "from ragkb.readers.child import main; main(['700000000', '1000', 'MISSING'])"
    )
    request = BytesIO()
    write_frame(request, {"path": os.fsencode(good).hex(), "seconds": 20})
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        input=request.getvalue(),
        capture_output=True,
        check=True,
    )
    head, text = read_frame(BytesIO(done.stdout), text_limit=1000)
    assert (head["file_type"], text) == ("txt", "正文")
    assert done.stderr == b""


def test_what_native_code_prints_cannot_disturb_the_answer(good: Path) -> None:
    program = (
        "import os, ragkb.readers.child as child; read = child.read_file\n"
        "def noisy(*given):\n    os.write(1, b'noise'); return read(*given)\n"
        "child.read_file = noisy; child.main(['700000000', '1000', 'MISSING'])"
    )
    request = BytesIO()
    write_frame(request, {"path": os.fsencode(good).hex(), "seconds": 20})
    done = subprocess.run(
        [sys.executable, "-c", program], input=request.getvalue(), capture_output=True, check=True
    )
    assert read_frame(BytesIO(done.stdout), text_limit=1000)[1] == "正文"


def test_a_module_in_the_working_directory_is_not_run(
    tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(9)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with Readers(workers=1) as readers:
        assert readers.read(good).text == "正文"


def test_importing_the_readers_loads_no_heavy_library() -> None:
    program = (
        "import sys, ragkb.readers; "
        "print([m for m in ('lxml', 'pypdf', 'pypdfium2', 'olefile', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"
