"""Compiles the catalogues of the languages, wherever the project is built or installed.

Hatchling calls it for source archives, wheels and editable installs, and `.ci/setup` for a clone
whose sources have changed. Only this needs Babel: a wheel, a Debian package and a card bring the
compiled files along.
"""

from datetime import UTC, datetime
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent


def compile_catalogues(locale: Path = ROOT / "pochboard" / "locale") -> None:
    """Makes `LANGUAGE/LC_MESSAGES/pochboard.mo` of each `LANGUAGE.po` that is newer."""
    for source in locale.glob("*.po"):
        target = locale / source.stem / "LC_MESSAGES" / "pochboard.mo"
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        from babel.messages.mofile import write_mo
        from babel.messages.pofile import read_po

        with source.open("rb") as file:
            catalog = read_po(file, locale=source.stem)
        catalog.creation_date = datetime.fromtimestamp(0, UTC)  # the same file at any time
        target.parent.mkdir(parents=True, exist_ok=True)
        new = target.with_suffix(".new")
        with new.open("wb") as file:
            write_mo(file, catalog)
        new.replace(target)


class CompiledCatalogues(BuildHookInterface):
    """The build hook."""

    def initialize(self, version: str, build_data: dict[str, object]) -> None:  # noqa: ARG002
        """Compiles the catalogues before files are collected."""
        compile_catalogues()


if __name__ == "__main__":
    compile_catalogues()
