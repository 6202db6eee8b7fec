"""The catalogues of the languages, kept up to date with the program's messages by Babel.

`.ci/messages` brings every `pochboard/locale/LANGUAGE.po` up to date and compiles it. With
`--check` it writes nothing, lists what is wrong and fails.
"""

from __future__ import annotations

import io
import re
import string
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po

from hatch_build import compile_catalogues
from pochboard.server.web_files import texts_in, web_folder

PACKAGE: Final = Path(__file__).resolve().parents[1] / "pochboard"
_KEYWORDS: Final = {
    **dict.fromkeys(("gettext", "N_", "lazy_gettext", "Noun", "card_error")),
    **dict.fromkeys(("ngettext", "ngettext_noop", "forms", "lazy_ngettext"), (1, 2)),
    **dict.fromkeys(("refuse", "BadParameterError"), (2,)),
    "refuse_counted": (2, 3),
    "pgettext": ((1, "c"), 2),
}
_FIX: Final = "run .ci/messages"
_SMALL: Final = range(200)


def extracted(package: Path = PACKAGE) -> Catalog:
    """All messages of the package and its page, by file."""
    catalog = Catalog(charset="utf-8")
    messages = extract_from_dir(package, [("**.py", "python")], keywords=_KEYWORDS)
    for file, _, message, _, context in sorted(messages, key=lambda row: (row[0], row[1])):
        catalog.add(message, context=context, locations=[(f"{package.name}/{file}", 0)])
    for path in page_files():
        for context, one, many in texts_in(path.read_text("utf-8")):
            message = (one, many) if many else one
            place = path.relative_to(web_folder().parent).as_posix()
            catalog.add(message, context=context or None, locations=[(place, 0)])
    return catalog


def page_files() -> list[Path]:
    """The files of the page that have texts."""
    folder = web_folder()
    return sorted((*folder.glob("static/*.js"), *folder.glob("templates/*.html")))


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
    yield from _sample_faults(catalog, language)
    for message in catalog:
        if message.id:
            yield from (f"{_name(message)}: {fault}" for fault in _message_faults(message, catalog))


def _sample_faults(catalog: Catalog, language: str) -> Iterator[str]:
    """Whether there is a number of each plural category that whole numbers can have."""
    message = catalog.get("one=1 other=2", "a number of each of CLDR's plural categories")
    rule = Locale.parse(language).plural_form
    samples: dict[str, int] = {}
    for number in _SMALL:
        samples.setdefault(rule(number), number)
    given = dict(re.findall(r"(\w+)=(\d+)", str(message.string) if message else ""))
    wrong = [name for name, number in given.items() if rule(int(number)) != name]
    if message and (wrong or set(given) != set(samples)):
        wanted = " ".join(f"{name}={number}" for name, number in samples.items())
        yield f"the plural categories should be like {wanted}"


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
        compile_catalogues()
        files = read_files(folder)
    problems = list(faults(files, messages))
    print(
        "\n".join(problems) or f"{len(messages)} messages; languages besides English: {len(files)}"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
