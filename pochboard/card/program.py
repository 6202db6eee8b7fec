"""The program as an archive, from which `systemd/install.sh` installs it."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pochboard.geometry.dimensions import source_folder

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_FILES: Final = (
    "pyproject.toml", "hatch_build.py", "README.md", "CHANGELOG.md", "LICENSE",
    "constraints/run.txt", "constraints/gpio.txt", "constraints/pico.txt",
    "hardware/pins.toml", "hardware/face.toml", "hardware/strokes.toml",
)  # fmt: skip
_FOLDERS: Final = ("firmware", "systemd", "web/templates", "web/static")
"""What an installed package has inside it, and a clone beside it."""
_SCRIPTS: Final = ("systemd/install.sh", "systemd/pochboard")
_LEFT_OUT: Final = ("__pycache__", ".DS_Store")


def program_files() -> dict[str, Path]:
    """All files that the program is installed from, by their path in a clone."""
    inside = {path.split("/", maxsplit=1)[0] for path in (*_FILES, *_FOLDERS)}
    files = {name: _beside(name) for name in _FILES}
    for name in _FOLDERS:
        files |= {f"{name}/{path.as_posix()}": _beside(name) / path for path in _in(_beside(name))}
    for path in _in(_PACKAGE):
        if path.parts[0] not in inside:
            files[f"pochboard/{path.as_posix()}"] = _PACKAGE / path
    return dict(sorted(files.items()))


def _beside(name: str) -> Path:
    """A file or folder that is beside the package in a clone, and in it once installed."""
    folder, _, rest = name.rpartition("/")
    if folder:
        return source_folder(folder) / rest
    installed = _PACKAGE / name
    return installed if installed.exists() else _PACKAGE.parent / name


def _in(folder: Path) -> Iterator[Path]:
    """The files below a folder, as paths from there."""
    for path in folder.rglob("*"):
        relative = path.relative_to(folder)
        # Catalogues are compiled already, because a Pi has no Babel.
        left_out = path.suffix == ".po" or set(relative.parts) & set(_LEFT_OUT)
        if path.is_file() and not left_out:
            yield relative


def program_archive() -> bytes:
    """These files as a `tar.gz`, whose bytes depend on nothing but them."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for name, path in program_files().items():
            content = path.read_bytes()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            # Windows knows no permissions.
            member.mode = 0o755 if name in _SCRIPTS else 0o644
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()
