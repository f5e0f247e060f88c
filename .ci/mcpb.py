"""Pack the MCPB bundle: the manifest, the package and what uv needs to install it.

Usage: python .ci/mcpb.py [TARGET]. The default is dist/ragkb.mcpb.
"""

import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "packaging" / "manifest.json"
FILES = ("pyproject.toml", "README.md", "LICENSE", "alembic.ini")
FOLDERS = ("ragkb", "alembic")


def main() -> None:
    """Write the bundle and say where it is."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist" / "ragkb.mcpb"
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("manifest.json", json.dumps(manifest(), ensure_ascii=False, indent=2))
        for path in content():
            bundle.write(path, path.relative_to(ROOT).as_posix())
    print(target)


def manifest() -> dict[str, Any]:
    """The manifest with the tools as the server describes them."""
    import anyio

    from ragkb.mcp.server import build_server
    from ragkb.settings import Settings

    server = build_server(Settings(home=ROOT, tool_lang="en"))
    tools = anyio.run(server.list_tools)
    described = [{"name": tool.name, "description": tool.description} for tool in tools]
    return {**json.loads(MANIFEST.read_text(encoding="utf-8")), "tools": described}


def content() -> Iterator[Path]:
    """The files of the package, without what running it leaves behind."""
    yield from (ROOT / name for name in FILES)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


if __name__ == "__main__":
    main()
