"""What a client may name."""

import os
import sys
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest

from ragkb.errors import (
    EndpointNotAllowed,
    ForbiddenPlace,
    InvalidEndpoint,
    KeyNotAllowed,
    OutsideRoots,
    RelativePath,
    UnreadablePath,
)
from ragkb.services.access import Access, is_forbidden, is_network_share

POSIX_SECRETS = (
    "/etc/passwd", "/private/etc/hosts", "/proc/self/environ", "/sys/kernel", "/dev/zero",
    "/run/secrets/db", "/home/ann/.ssh/id_ed25519", "/home/ann/.ssh/notes.txt", "/a/.aws/config",
    "/home/ann/.config/gcloud/x.json", "/srv/app/.env", "/srv/app/.env.local", "/srv/app/prod.env",
    "/srv/tls/server.key", "/srv/tls/server.PEM", "/Users/ann/Library/Keychains/login.keychain-db",
    "/home/ann/.netrc", "/home/ann/.bash_history", "/home/ann/.gnupg/x", "/System/Library/x",
    "/data/ragkb/secrets.json",
)  # fmt: skip
WINDOWS_SECRETS = (
    r"C:\Windows\System32\config\SAM", r"c:\WINDOWS\win.ini", r"D:\Program Files\x\y.txt",
    r"C:\ProgramData\x\y", r"C:\Users\Ann\.ssh\id_rsa", r"C:\Users\Ann\project\.ENV",
    r"C:\Users\Ann\AppData\Roaming\Microsoft\Credentials\x", r"C:\Users\Ann\report.txt:hidden",
    r"C:\Users\Ann\AppData\Local\Google\Chrome\User Data\Default\Cookies", r"\\.\PhysicalDrive0",
    r"\\?\C:\Users\Ann\a.txt", r"C:\Users\Ann\NUL", r"C:\Users\Ann\con.txt", r"C:\Users\Ann\a.txt.",
    r"C:\Users\Ann\.env ", r"C:\Users\Ann\COM1.log",
)  # fmt: skip
POSIX_DOCUMENTS = (
    "/home/ann/Documents/报告 (终稿)#1%.txt", "/tmp/a.pdf", "/mnt/etc/passwd.txt",
    "/run/media/ann/STICK/a.doc", "/home/ann/environment.md", "/Users/ann/keynote.pptx",
    "/srv/devices/dev.txt", "/home/ann/my.ssh.notes/a.txt", "/var/folders/x/a.docx",
)  # fmt: skip
WINDOWS_DOCUMENTS = (
    r"C:\Users\Ann\Documents\报告.docx", r"D:\data\windows\a.txt", r"C:\Users\Ann\contract.pdf",
    r"C:\Temp\null.txt", r"E:\a.pdf",
)  # fmt: skip


@pytest.mark.parametrize(
    "path",
    [*map(PurePosixPath, POSIX_SECRETS), *map(PureWindowsPath, WINDOWS_SECRETS)],
    ids=str,
)
def test_places_of_the_system_and_of_secrets_are_forbidden(path: PurePath) -> None:
    assert is_forbidden(path)


@pytest.mark.parametrize(
    "path",
    [*map(PurePosixPath, POSIX_DOCUMENTS), *map(PureWindowsPath, WINDOWS_DOCUMENTS)],
    ids=str,
)
def test_documents_are_not(path: PurePath) -> None:
    assert not is_forbidden(path)


def test_a_network_share_is_told_from_a_drive() -> None:
    assert is_network_share(PureWindowsPath(r"\\server\share\a.txt"))
    assert not is_network_share(PureWindowsPath(r"C:\share\a.txt"))
    assert not is_network_share(PurePosixPath("//server/share/a.txt"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with documents inside and outside of what will be allowed, and a data home."""
    for name in ("in/sub", "in-other", "out", "home/database"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("in/sub/a.txt", "in-other/b.txt", "out/c.txt"):
        (tmp_path / name).write_text("text", encoding="utf-8")
    return tmp_path


def test_without_roots_any_document_passes_but_not_the_data_home(place: Path) -> None:
    access = Access(place / "home")
    access.admit(str(place / "out" / "c.txt"))
    access.admit(str(place / "none.txt"))
    for path in ("home", "home/database/kb.db", "home/new.db", "out/../home/x"):
        with pytest.raises(ForbiddenPlace):
            access.admit(str(place / path))


def test_with_roots_only_what_lies_in_them_passes(place: Path) -> None:
    access = Access(place / "home", (place / "in",))
    access.admit(str(place / "in" / "sub" / "a.txt"))
    access.admit(str(place / "in" / "new.db"))
    for path in ("in-other/b.txt", "out/c.txt", "in/../out/c.txt", ""):
        with pytest.raises(OutsideRoots):
            access.admit(str(place / path))


def test_the_refusal_carries_the_line_that_would_allow(place: Path) -> None:
    access = Access(place / "home", (place / "in",))
    with pytest.raises(OutsideRoots) as refused:
        access.admit(str(place / "out" / "c.txt"))
    roots = tuple(Path(each) for each in refused.value.line.split(os.pathsep))
    assert roots[0] == place / "in"
    Access(place / "home", roots).admit(str(place / "out" / "c.txt"))


def test_remote_clients_need_roots(place: Path) -> None:
    path = str(place / "in" / "sub" / "a.txt")
    with pytest.raises(OutsideRoots):
        Access(place / "home", remote=True).admit(path)
    Access(place / "home", (place,), remote=True).admit(path)


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_links_are_followed_before_they_are_judged(place: Path) -> None:
    (place / "in" / "out").symlink_to(place / "out")
    (place / "in" / "passwd.txt").symlink_to("/etc/passwd")
    (place / "in" / "back.txt").symlink_to(place / "in" / "sub" / "a.txt")
    (place / "in" / "base").symlink_to(place / "home")
    access = Access(place / "home", (place / "in",))
    access.admit(str(place / "in" / "back.txt"))
    with pytest.raises(OutsideRoots):
        access.admit(str(place / "in" / "out" / "c.txt"))
    with pytest.raises(ForbiddenPlace):
        access.admit(str(place / "in" / "passwd.txt"))
    with pytest.raises(ForbiddenPlace):
        access.admit(str(place / "in" / "base" / "database" / "kb.db"))


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_a_root_or_home_may_itself_be_a_link(place: Path) -> None:
    (place / "docs").symlink_to(place / "in")
    (place / "data").symlink_to(place / "home")
    access = Access(place / "data", (place / "docs",))
    access.admit(str(place / "in" / "sub" / "a.txt"))
    access.admit(str(place / "docs" / "sub" / "a.txt"))
    with pytest.raises(ForbiddenPlace):
        access.admit(str(place / "home" / "database" / "kb.db"))


def test_paths_are_absolute(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    access = Access(place / "home")
    for path in ("a.txt", "./a.txt", "", "~nobody-of-that-name/a.txt"):
        with pytest.raises(RelativePath):
            access.admit(path)
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(place))
    access.admit("~/out/c.txt")
    with pytest.raises(UnreadablePath):
        access.admit(str(place / "a\0b"))


def test_endpoints_are_limited_for_remote_clients_and_where_a_list_is_set() -> None:
    home, url = Path("/home"), "https://api.example.com/v1"
    Access(home).check_endpoint("http://10.0.0.1:8000")
    for access in (Access(home, endpoints=(url,)), Access(home, endpoints=(url,), remote=True)):
        access.check_endpoint(f"{url}/embeddings")
        access.check_endpoint("https://API.example.com/v1/")
        for other in (
            "https://api.example.com/v2",
            "http://api.example.com/v1",
            f"{url}.evil.test",
        ):
            with pytest.raises(EndpointNotAllowed) as refused:
                access.check_endpoint(other)
            assert refused.value.line == f"{url} {other}"
    with pytest.raises(EndpointNotAllowed):
        Access(home, remote=True).check_endpoint(url)
    for wrong in ("file:///etc/passwd", "ftp://x/y", "javascript:alert(1)", "https://a:b@c/v1"):
        with pytest.raises(InvalidEndpoint):
            Access(home).check_endpoint(wrong)


def test_only_our_own_variables_may_be_named_for_a_key() -> None:
    access = Access(Path("/home"))
    access.check_key("sk-literal")
    access.check_key("env:RAGKB_KEY")
    for name in ("env:AWS_SECRET_ACCESS_KEY", "env:", "env:PATH", "env:ragkb_key"):
        with pytest.raises(KeyNotAllowed):
            access.check_key(name)
