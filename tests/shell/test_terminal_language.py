"""The command line speaks the language of the terminal: help, errors and reports."""

from __future__ import annotations

import ast
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from babel.messages.pofile import read_po
from click.testing import CliRunner

from pochboard.cli import usage
from pochboard.cli.commands import cli
from pochboard.cli.usage import CLICK_MESSAGES, Context
from pochboard.config import Config, load_config
from pochboard.doctor.report import NAMES, check_all, check_machine, report_lines, summary
from pochboard.errors import ConfigError
from pochboard.text.catalogues import LOCALE, machine_object, translator
from pochboard.text.lazy import translated
from pochboard.text.translator import Translator
from tests.catalogues import forms_of
from tests.core.messages.test_translation import MARKED, Marking
from tests.shell.daemons import signal_handlers_kept

GERMAN = translator("de")
IDS = {
    form
    for message in read_po(io.BytesIO((LOCALE / "de.po").read_bytes()), locale="de")
    for form in forms_of(message.id)
}
VALUES = {"modern", "sheet", "sensible", "bold", "careful", "english"}
"""Values that an option has by default."""


class Known(Marking):
    """A catalogue that puts each message in brackets that has a translation."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧" if message in IDS else message


KNOWN = Translator(Known(), "xx")


def unmarked(text: str) -> str:
    """The texts that do not come from the catalogue."""
    before = ""
    while text != before:
        before, text = text, re.sub("⟦[^⟦⟧]*⟧", " ", text)
    return text


def commands(
    command: click.Command, path: str, parent: click.Context | None = None
) -> Iterator[tuple[str, click.Context]]:
    context = Context(command, info_name=path, parent=parent, **command.context_settings)
    yield context.command_path, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None, name
            yield from commands(child, name, context)


COMMANDS = dict(commands(cli, "pochboard"))


@pytest.fixture(scope="module")
def marked_click(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalogue of click's own messages, each in brackets."""
    folder = tmp_path_factory.mktemp("locale")
    file = folder / KNOWN.language / "LC_MESSAGES" / "messages.mo"
    file.parent.mkdir(parents=True)
    header = (LOCALE / "de.po").read_text("utf-8").partition("\n\n")[0]
    messages = (
        f'msgid "{message}"\nmsgstr "⟦{message}⟧"'
        for message in CLICK_MESSAGES
        if isinstance(message, str)
    )
    file.write_bytes(machine_object("\n\n".join((header, *messages))))
    return folder


def help_of(path: str, t: Translator, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(usage, "terminal_translator", lambda: t)
    with usage._click_in_terminal_language():
        return COMMANDS[path].command.get_help(COMMANDS[path])


@pytest.mark.parametrize("path", COMMANDS)
def test_no_english_is_left_in_the_help(
    path: str, marked_click: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "LOCALE", marked_click)
    context = COMMANDS[path]
    context.max_content_width = context.terminal_width = 400
    left = unmarked(help_of(path, KNOWN, monkeypatch))
    names = {*path.split(), *getattr(context.command, "commands", ())}
    # Options and the values that they take are the same in every language.
    left = re.sub(r"(?<![a-z])--?[a-z][-a-z]*|\[[a-z|]+\]|\d*<?=?x[<>]=\d+|\$\S+", " ", left)
    assert not set(re.findall(r"[A-Za-z][-A-Za-z]+", left)) - names - VALUES


def test_every_short_help_is_translated_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    text = help_of("pochboard", GERMAN, monkeypatch)
    assert text.startswith("Aufruf: pochboard [OPTIONEN] BEFEHL [ARGUMENTE]...\n")
    assert "\n  doctor    Findet Fehler und sagt, wie man sie behebt.\n" in text
    assert "..." not in text.partition("Befehle:")[2]


def said_by_click() -> Iterator[tuple[str, ...]]:
    """Each message that click asks `gettext` for, or singular and plural."""
    for file in sorted(Path(click.__file__).parent.glob("*.py")):
        if file.stem not in ("core", "decorators", "exceptions", "formatting", "parser", "types"):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in ("_", "ngettext"):
                forms = [
                    str(argument.value)
                    for argument in node.args
                    if isinstance(argument, ast.Constant)
                ]
                if forms:
                    yield tuple(forms)


NOT_SAID_HERE = {
    # Kinds of options that this program does not have, and mistakes of the program itself.
    "%(prog)s, version %(version)s",
    "(dynamic)",
    "Aborted!",
    "Argument {name!r} takes {nargs} values.",
    "Arguments take exactly one parameter declaration, got {length}: {decls}.",
    "Boolean option {decl!r} cannot use the same flag for true/false.",
    "Choice({choices})",
    "Choose from:\n\t{choices}",
    "Confirm the action without prompting.",
    "Could not determine name for option with declarations {decls!r}",
    "Could not open file {filename!r}: {message}",
    "DeprecationWarning: The command {name!r} is deprecated.{extra_message}",
    "DeprecationWarning: The {param_type} {name!r} is deprecated.{extra_message}",
    "Do you want to continue?",
    "Invalid start character for option ({option})",
    "Missing option",
    "Missing parameter",
    "Missing parameter: {param_name}",
    "Missing {param_type}",
    "Name '{name}' defined twice",
    (
        "No options defined but a name was passed ({name}). Did you mean to declare an argument"
        " instead? Did you mean to pass '--{name}'?"
    ),
    "Positional arguments",
    "Takes {nargs} values but 1 was given.",
    "Value must be an iterable.",
    "deprecated",
    "env var: {var}",
    "unknown error",
    "{len_type} values are required, but {len_value} was given.",
    "{name} {filename!r} is not executable.",
    "{value!r} does not match the format {format}.",
    "{value!r} is not a valid UUID.",
    "{value!r} is not a valid boolean. Recognized values: {states}",
    "{value} is not in the range {range}.",
    # Asked for at import; the help, and `FilePath`, translate them.
    "Show the version and exit.",
    "directory",
    "file",
    "path",
    # Click adds the argument to it; the program has a whole sentence.
    "Missing argument",
}


def test_all_that_click_says_is_known() -> None:
    known = {forms_of(message) for message in CLICK_MESSAGES}
    by_click = set(said_by_click())
    assert known <= by_click
    assert {forms[0] for forms in by_click - known} == NOT_SAID_HERE


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nigts"], "Einen Befehl 'nigts' gibt es nicht. Meintest du 'nights'?"),
        (["run", "--prt", "1"], "Eine Option '--prt' gibt es nicht. Meintest du '--port'?"),
        (["run", "--port"], "Die Option '--port' braucht einen Wert."),
        (["run", "--lan=1"], "Die Option '--lan' hat keinen Wert."),
        (["run", "--lan", "--host", "a"], "Nimm --lan oder --host, nicht beides."),
        (
            ["run", "--port", "70000"],
            "--port muss eine ganze Zahl von 0 bis 65535 sein, nicht 70000.",
        ),
        (["show", "eins"], 'ABEND muss eine ganze Zahl ab 1 sein, nicht "eins".'),
        (["show", "1", "2"], "Ein Argument ist zu viel (2)"),
        (["show", "1", "2", "3"], "Einige Argumente sind zu viel (2 3)"),
        (["check"], "Das Argument 'DATEIEN...' fehlt."),
        (
            ["export", "--format", "pdf"],
            (
                "Ungültiger Wert für '--format': 'pdf' ist nicht dabei: 'sheet', 'csv', 'json',"
                " 'beancount', 'hledger'."
            ),
        ),
        (
            ["simulate", "--option", "ante"],
            (
                "Ungültiger Wert für '--option': Schreib einen Parameter mit seinem Wert, zum"
                ' Beispiel ante=2, nicht "ante".'
            ),
        ),
        (
            ["simulate", "--option", "ante=-1"],
            (
                "Ungültiger Wert für '--option': \"ante\" muss eine ganze Zahl von 1 bis 100 sein,"
                " nicht -1."
            ),
        ),
        (
            ["settle", "--chip", "x"],
            (
                "Ungültiger Wert für '--chip': Der Wert eines Chips muss ein Betrag über 0 sein,"
                ' zum Beispiel 0.05, nicht "x".'
            ),
        ),
        (
            ["import", "--date", "x", "a"],
            (
                "Ungültiger Wert für '--date': Das Datum muss gültig sein, zum Beispiel"
                ' 2026-11-15, nicht "x".'
            ),
        ),
        (["run", "--data", __file__], f"Ungültiger Wert für '--data': Der Ordner '{__file__}' ist"),
    ],
)
def test_wrong_use_in_german(
    words: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    with signal_handlers_kept():
        ran = CliRunner().invoke(cli, words)
    assert ran.exit_code == 2
    assert f"\nFehler: {sentence}" in f"\n{ran.stderr}"
    assert not re.search("Usage|Error|Try", ran.stderr)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "--data", __file__], "Directory '{file}' is a file."),
        (["simulate", "--seed", "x"], "Invalid value for '--seed': 'x' is not a valid integer."),
        (["check"], "Missing argument 'FILES...'."),
        (["show", "1", "a\x1b[2J"], r"Got unexpected extra argument (a\x1b[2J)"),
    ],
)
def test_wrong_use_in_english_after_german(
    words: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = {}
    for language in ("de", "C"):
        monkeypatch.setenv("LC_ALL", language)
        with signal_handlers_kept():
            messages[language] = CliRunner().invoke(cli, words).stderr
    assert messages["de"].startswith("Aufruf: ")
    assert messages["C"].startswith("Usage: ")
    assert sentence.format(file=__file__) in messages["C"]


@pytest.mark.parametrize(("language", "line"), [("de", "Zeigt diese Hilfe."), ("en", "Show this")])
def test_the_language_of_the_locale_comes_before_language(
    language: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", f"{language}_XX.UTF-8")
    monkeypatch.delenv("LANGUAGE", raising=False)
    for other in ("en", "de", "fr"):
        monkeypatch.setenv("LANGUAGE", other)
        assert line in CliRunner().invoke(cli, ["run", "--help"]).stdout
        assert os.environ["LANGUAGE"] == other
    monkeypatch.delenv("LANGUAGE")
    assert line in CliRunner().invoke(cli, ["run", "--help"]).stdout
    assert "LANGUAGE" not in os.environ


def test_the_doctor_is_translated(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('port = "a"\n')
    checks = [*check_all(tmp_path, tmp_path), *check_machine(Config(data=tmp_path, board="gpio"))]
    assert {check.name for check in checks} <= set(NAMES)
    assert not [
        line for line in report_lines(checks, MARKED) if re.search("[a-z]{2}", unmarked(line))
    ]
    german = next(report_lines(checks, GERMAN))
    assert re.fullmatch(r"Fehler Einstellungen +/.*: port muss eine ganze Zahl von 0 .*", german)
    assert re.fullmatch(r"\d+ Fehler zu beheben\.", summary(checks).in_language(GERMAN))


def test_the_configuration_is_refused_in_german(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[lights]\nnigth = true\n")
    with pytest.raises(ConfigError) as raised:
        load_config(tmp_path, tmp_path)
    assert translated(raised.value, GERMAN) == (
        f"{tmp_path}/config.toml: Eine Einstellung lights.nigth gibt es nicht. Meintest du"
        " lights.night?"
    )


def test_every_command_is_one_of_ours() -> None:
    """One of click's would keep the text of `--help` in the language of the first call."""
    others = [path for path, at in COMMANDS.items() if not isinstance(at.command, usage.Command)]
    assert others == []
