"""The catalogues of the languages, kept up to date with the program's messages by Babel.

`.ci/messages` brings every `pochboard/locale/LANGUAGE.po` up to date, and the compiled file in
which click finds its own messages. With `--check` it writes nothing, lists what is wrong and fails.
"""

from __future__ import annotations

import io
import re
import string
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po

from pochboard.cli.commands import cli
from pochboard.cli.usage import paragraphs, split_help
from pochboard.text.catalogues import machine_object

PACKAGE: Final = Path(__file__).resolve().parents[1] / "pochboard"
_KEYWORDS: Final = {
    "gettext": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_noop": (1, 2),
    "forms": (1, 2),
    "lazy_gettext": None,
    "Noun": None,
    "lazy_ngettext": (1, 2),
    "pgettext_noop": ((1, "c"), 2),
    "pgettext": ((1, "c"), 2),
}
_CLICK: Final = "#: pochboard/cli/usage.py\n"
_FIX: Final = "run .ci/messages"
_SMALL: Final = range(200)


def extracted(package: Path = PACKAGE) -> Catalog:
    """All messages of the package, by file."""
    catalog = Catalog(charset="utf-8")
    messages = extract_from_dir(package, [("**.py", "python")], keywords=_KEYWORDS)
    for file, _, message, _, context in sorted(messages, key=lambda row: (row[0], row[1])):
        catalog.add(message, context=context, locations=[(f"{package.name}/{file}", 0)])
    if package == PACKAGE:
        for module, message in help_messages(cli):
            file = module.replace(".", "/")
            catalog.add(message, locations=[(f"{file}.py", 0)])
    return catalog


def help_messages(command: click.Command) -> Iterator[tuple[str, str]]:
    """The messages in the help of a command and of those below it, each with its module."""
    module = command.callback.__module__ if command.callback else command.__module__
    for text in (command.help, command.short_help, command.epilog):
        yield from ((module, message) for _, message in paragraphs(text or "") if message)
    for parameter in command.params:
        if not isinstance(parameter, click.Option) or parameter.hidden:
            continue
        message, extras = split_help(parameter.help or "")
        defaults = (extra.removeprefix("default: ") for extra in extras)
        # What is not a phrase is a value, such as 8441.
        phrases = (text for text in (message, *defaults) if " " in text or text.isalpha())
        yield from ((module, text) for text in phrases)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None, name
            yield from help_messages(child)


def _body(catalog: Catalog) -> str:
    """The messages as text, without a header and without obsolete ones."""
    out = io.BytesIO()
    write_po(out, catalog, width=100, omit_header=True, include_lineno=False, ignore_obsolete=True)
    return out.getvalue().decode()


def _read(text: str, language: str) -> Catalog:
    return read_po(io.BytesIO(text.encode()), locale=language)


def updated(files: dict[str, str], messages: Catalog) -> dict[str, str]:
    """The catalogues as they should be, by name. New messages are empty."""
    made = {}
    for name, text in files.items():
        header, _, _ = text.partition("\n\n")
        catalog = _read(text, Path(name).stem)
        catalog.update(messages, no_fuzzy_matching=True)
        made[name] = f"{header}\n\n{_body(catalog)}"
    return made


def for_click(catalogue: str) -> bytes:
    """The messages of click in a catalogue, compiled."""
    header, *blocks = catalogue.split("\n\n")
    return machine_object("\n\n".join((header, *(b for b in blocks if _CLICK in b))))


def click_files(folder: Path, files: dict[str, str]) -> dict[Path, bytes]:
    """Where Python's `gettext` looks for click's messages, and what it should find."""
    return {
        folder / Path(name).stem / "LC_MESSAGES" / "messages.mo": for_click(text)
        for name, text in files.items()
    }


def stale_click_files(folder: Path, files: dict[str, str]) -> Iterator[str]:
    """A sentence for each compiled file that is not as it should be."""
    for file, content in click_files(folder, files).items():
        if not file.exists() or file.read_bytes() != content:
            yield f"{file.relative_to(folder)} is stale: {_FIX}"


def faults(files: dict[str, str], messages: Catalog) -> Iterator[str]:
    """What is wrong with the catalogues, one sentence each."""
    for name, text in updated(files, messages).items():
        if files[name] != text:
            yield f"{name} is stale: {_FIX}"
    for name, text in sorted(files.items()):
        yield from (f"{name}: {fault}" for fault in _faults_of(text, Path(name).stem))


def _faults_of(text: str, language: str) -> Iterator[str]:
    catalog = _read(text, language)
    plurals = get_plural(language)
    if catalog.plural_expr != plurals.plural_expr or catalog.num_plurals != plurals.num_plurals:
        yield f"the header Plural-Forms should be {plurals.plural_forms}"
    yield from _sample_faults(text, language)
    for message in catalog:
        if message.id:
            yield from (f"{_name(message)}: {fault}" for fault in _message_faults(message, catalog))


def _sample_faults(text: str, language: str) -> Iterator[str]:
    """Whether X-Plural-Samples has a number of each category that whole numbers can have."""
    header = next((line for line in text.splitlines() if '"X-Plural-Samples:' in line), "")
    rule = Locale.parse(language).plural_form
    samples: dict[str, int] = {}
    for number in _SMALL:
        samples.setdefault(rule(number), number)
    given = dict(re.findall(r"(\w+)=(\d+)", header))
    wrong = [name for name, number in given.items() if rule(int(number)) != name]
    if wrong or set(given) != set(samples):
        wanted = " ".join(f"{name}={number}" for name, number in samples.items())
        yield f"the header X-Plural-Samples should be like {wanted}"


def _message_faults(message: Message, catalog: Catalog) -> Iterator[str]:
    sources, forms = forms_of(message.id), forms_of(message.string)
    if not all(forms):
        yield "it is not translated"
        return
    if message.fuzzy:
        yield "it is fuzzy: check the translation, then remove the mark"
    if message.pluralizable and len(forms) != catalog.num_plurals:
        yield f"it has {len(forms)} forms instead of {catalog.num_plurals}"
    given = [_places(source) for source in sources]
    known: set[str] = set().union(*given)
    for form in forms:
        try:
            named = _places(form)
        except ValueError as error:
            yield f"it cannot be filled: {error}"
            continue
        # "The last entry" needs no number, though "the last {count} entries" does.
        yield from (f"{{{place}}} is missing" for place in sorted(set.intersection(*given) - named))
        yield from (f"{{{place}}} is unknown" for place in sorted(named - known))


def forms_of(message: object) -> tuple[str, ...]:
    """A message of Babel's as its forms: one, or one for each plural."""
    forms = message if isinstance(message, list | tuple) else (message,)
    return tuple(map(str, forms))


def _places(form: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(form) if name is not None}


def _name(message: Message) -> str:
    return f"“{forms_of(message.id)[0]}”"


def read_files(folder: Path) -> dict[str, str]:
    """The catalogues of a folder, by name."""
    return {file.name: file.read_text("utf-8") for file in sorted(folder.glob("*.po"))}


def main(options: list[str]) -> int:
    """Writes or checks the files; the exit status."""
    folder, messages = PACKAGE / "locale", extracted()
    files = read_files(folder)
    if "--check" not in options:
        for name, text in updated(files, messages).items():
            (folder / name).write_text(text, "utf-8")
        files = read_files(folder)
        for file, content in click_files(folder, files).items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    problems = [*faults(files, messages), *stale_click_files(folder, files)]
    print(
        "\n".join(problems) or f"{len(messages)} messages; languages besides English: {len(files)}"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
