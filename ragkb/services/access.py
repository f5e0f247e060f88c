"""What a client of the server may name: files, embedding endpoints, keys.

An AI client passes on what a document or a web page told it to do, so its calls are not the wishes
of the user who may read every file of the machine.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath, PureWindowsPath

from ragkb.embeddings import normalise_endpoint
from ragkb.errors import (
    EndpointNotAllowed,
    ForbiddenPlace,
    KeyNotAllowed,
    OutsideRoots,
    RelativePath,
    UnreadablePath,
)

# Takes a path as it was given; raises a FileRefused.
Admit = Callable[[str], None]

OUR_VARIABLES = "RAGKB_"
POSIX_SYSTEM = (
    ("etc",), ("proc",), ("sys",), ("dev",), ("boot",),
    ("run", "secrets"), ("run", "credentials"), ("run", "user"),
    ("private", "etc"), ("private", "var", "db"), ("system",),
)  # fmt: skip
WINDOWS_SYSTEM = (
    ("windows",), ("program files",), ("program files (x86)",), ("programdata",),
    ("$recycle.bin",), ("system volume information",),
)  # fmt: skip
# Consecutive parts of a path, anywhere in it.
SECRET_FOLDERS = (
    (".ssh",), (".gnupg",), (".aws",), (".azure",), (".kube",), (".docker",), (".password-store",),
    (".config", "gcloud"), (".config", "gh"), (".local", "share", "keyrings"), ("keychains",),
    (".mozilla",), (".thunderbird",), ("google-chrome",), ("chromium",),
    ("microsoft", "credentials"), ("microsoft", "protect"), ("microsoft", "crypto"),
    ("microsoft", "vault"), ("google", "chrome", "user data"), ("mozilla", "firefox"),
)  # fmt: skip
SECRET_NAMES = (
    ".env", ".env.*", "*.env", ".envrc", "*.pem", "*.key", "*.pfx", "*.p12", "*.jks", "*.keystore",
    "*.kdbx", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", "_netrc", ".pgpass",
    ".my.cnf", ".npmrc", ".pypirc", ".git-credentials", ".*_history", "secrets.json",
)  # fmt: skip
DEVICES = (
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
)


def anything(_path: str) -> None:
    """Admit every path: the user's own command line."""


@dataclass(frozen=True)
class Access:
    """The rules for the calls of one server.

    `home` is the data home, never to be touched. With `roots` only what lies in them may be used;
    `remote` clients (HTTP) may use nothing else, and no endpoint that is not in `endpoints`.
    """

    home: Path
    roots: tuple[Path, ...] = ()
    endpoints: tuple[str, ...] = ()
    remote: bool = False

    def admit(self, path: str) -> None:
        """Let an absolute path pass, or refuse it; links are followed first.

        RelativePath, ForbiddenPlace, OutsideRoots. What is refused is not told to exist or not.
        """
        expanded = Path(os.path.expanduser(path))  # noqa: PTH111  # Path raises for an unknown `~x`
        if not expanded.is_absolute():
            raise RelativePath(path)
        try:
            real = Path(os.path.realpath(expanded))
        except (OSError, ValueError) as error:
            raise UnreadablePath(path, getattr(error, "strerror", None) or str(error)) from error
        if any(is_forbidden(each) or self._is_ours(each) for each in (expanded, real)):
            raise ForbiddenPlace(path)
        roots = [Path(os.path.realpath(root)) for root in self.roots]
        unbounded = not roots and not self.remote and not is_network_share(real)
        if not unbounded and not any(real.is_relative_to(root) for root in roots):
            raise OutsideRoots(path, os.pathsep.join(map(str, (*self.roots, real.parent))))

    def check_endpoint(self, endpoint: str) -> None:
        """Refuse an endpoint that a call may not name: InvalidEndpoint, EndpointNotAllowed."""
        wanted = normalise_endpoint(endpoint)
        if not self.remote and not self.endpoints:
            return
        if wanted not in [normalise_endpoint(each) for each in self.endpoints]:
            raise EndpointNotAllowed(endpoint, " ".join((*self.endpoints, endpoint)))

    def check_key(self, api_key: str) -> None:
        """Refuse the name of an environment variable that is not ours: KeyNotAllowed."""
        variable = api_key.removeprefix("env:")
        if variable != api_key and not variable.startswith(OUR_VARIABLES):
            raise KeyNotAllowed(variable)

    def _is_ours(self, path: Path) -> bool:
        homes = (self.home, Path(os.path.realpath(self.home)))
        return any(path.is_relative_to(home) for home in homes)


def is_forbidden(path: PurePath) -> bool:
    """Whether an absolute path lies in a place of the system or of secrets."""
    parts = tuple(part.casefold() for part in path.parts[1:])
    if isinstance(path, PureWindowsPath):
        return _is_odd_on_windows(path) or _begins(parts, WINDOWS_SYSTEM) or _is_secret(parts)
    return _begins(parts, POSIX_SYSTEM) or _is_secret(parts)


def is_network_share(path: PurePath) -> bool:
    r"""Whether opening the path sends the user's credentials to another machine (`\\x\y`)."""
    return isinstance(path, PureWindowsPath) and path.drive.startswith("\\\\")


def _begins(parts: tuple[str, ...], places: tuple[tuple[str, ...], ...]) -> bool:
    return any(parts[: len(place)] == place for place in places)


def _is_secret(parts: tuple[str, ...]) -> bool:
    inside = any(_begins(parts[start:], SECRET_FOLDERS) for start in range(len(parts)))
    return inside or any(fnmatchcase(part, name) for part in parts for name in SECRET_NAMES)


def _is_odd_on_windows(path: PureWindowsPath) -> bool:
    r"""Devices, `\\.\` and `\\?\` paths, streams (`a.txt:x`), names that end in a dot or blank."""
    if path.drive.startswith(("\\\\.\\", "\\\\?\\")):
        return True
    return any(
        ":" in part or part != part.rstrip(". ") or part.split(".")[0].casefold() in DEVICES
        for part in path.parts[1:]
    )
