"""`pochboard card`: the files that set up a Pi on its first boot."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from pochboard.card.answers import (
    ORDERS,
    PIXELS,
    Answers,
    BuiltBoard,
    Language,
    config_text,
    is_timezone,
    own_timezone,
)
from pochboard.card.drive import joined_files
from pochboard.card.first_boot import HOSTNAME, SETUP, Card, preseed, setup_script, user_data
from pochboard.card.program import program_archive
from pochboard.cli.language import say
from pochboard.cli.questions import choose, typed_line, yes
from pochboard.cli.usage import Command
from pochboard.config import FILE, data_dir, load_config_file
from pochboard.errors import ConfigError
from pochboard.text.allowed_values import quoted
from pochboard.text.encodings import written_text
from pochboard.text.lazy import LazyText, lazy_gettext


@click.command(cls=Command, short_help="Make the files for a card that sets up a Pi.")
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The config.toml to put onto the card.  [default: that of the bill of materials]",
)
@click.option("--ask", is_flag=True, help="Ask about the board, and make its config.toml too.")
@click.option(
    "--board",
    type=click.Choice(["gpio", "pico", "simulator"]),
    help="The board.  [default: that of the configuration, or gpio]",
)
@click.option("--hostname", default="pochboard", show_default=True, help="The name of the Pi.")
@click.option(
    "--timezone",
    help='Its time zone, such as Europe/Berlin; "" for none.  [default: that of this computer]',
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default="card",
    show_default=True,
    help="The folder for the files.",
)
@click.option(
    "--drive",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The drive bootfs of a card, to write to instead of a folder.",
)
def card(
    file: Path | None,
    ask: bool,
    board: str | None,
    hostname: str,
    timezone: str | None,
    out: Path,
    drive: Path | None,
) -> None:
    """Make the files that set up a Pi on its first boot.

    They hold the whole program and the configuration. With --drive, they are joined to what
    Raspberry Pi Imager has written on the card: its user, time zone and Wi-Fi stay. A configuration
    that cannot be used is refused, and nothing is written.
    """
    if ask and file:
        raise click.UsageError(lazy_gettext("Use --ask or --config, not both."))
    if not HOSTNAME.fullmatch(hostname):
        raise click.BadParameter(
            lazy_gettext("A host name has letters, digits and hyphens."), param_hint="'--hostname'"
        )
    if timezone and not is_timezone(timezone):
        raise click.BadParameter(_no_timezone(timezone), param_hint="'--timezone'")
    files: dict[str, bytes] = {}
    if ask:
        made_config = out / FILE
        if made_config.exists():
            raise ConfigError(
                lazy_gettext(
                    "{file} exists. Put it onto the card with --config, or name another folder"
                    " with --out.",
                    file=made_config,
                )
            )
        answers = ask_about(board)
        zone = ask_timezone() if timezone is None else timezone
        board, text = answers.board, config_text(answers)
        files[FILE] = text.encode()
    else:
        zone = own_timezone() if timezone is None else timezone
        if file:
            board, text = _checked(file, board)
        else:
            board = board or "gpio"
            text = "" if board == "simulator" else config_text(Answers(board=_real(board)))
    made = Card(
        board=board, program=program_archive(), config=text, hostname=hostname, timezone=zone
    )
    if drive:
        _write(drive, joined_files(drive, made))
        _write(out, files)
        say(lazy_gettext("The card is ready. Put it into the Pi, and switch the Pi on."))
        return
    files |= {
        "user-data": user_data(made).encode(),
        "rpi-preseed.toml": preseed(made).encode(),
        SETUP: setup_script(made).encode(),
    }
    _write(out, files)
    say(
        lazy_gettext(
            "Wrote the files for the card to {folder}. systemd/README.md says which to copy.",
            folder=out,
        )
    )


def _real(board: str) -> BuiltBoard:
    return "pico" if board == "pico" else "gpio"


def _checked(file: Path, board: str | None) -> tuple[str, str]:
    """The board and the text of a configuration that the daemon will start with.

    Raises ConfigError.
    """
    from pochboard.boards.choose import lights_of
    from pochboard.doctor.gpio import pins_check

    config = load_config_file(file, data_dir())
    text = written_text(file.read_bytes())
    set_board = config.board if "board" in tomllib.loads(text) else None
    if set_board and board and board != set_board:
        raise ConfigError(
            lazy_gettext(
                '{file} has board = "{board}". Leave out --board, or correct it there.',
                file=file,
                board=set_board,
            )
        )
    board = set_board or board or "gpio"
    try:
        lights = lights_of(config)
    except ConfigError as error:
        raise ConfigError(LazyText("{file}: {error}", file=file, error=error)) from None
    pins = pins_check(config.gpio, lights.places)
    if board == "gpio" and not pins.ok:
        raise ConfigError(
            LazyText("{file}: {found} {fix}", file=file, found=pins.found, fix=pins.fix)
        )
    return board, text


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes each file whole or not at all, once all of them are on the disk. Raises OSError."""
    if not files:
        return
    folder.mkdir(parents=True, exist_ok=True)
    parts = {folder / f"{name}.new": folder / name for name in files}
    try:
        for part, target in parts.items():
            part.write_bytes(files[target.name])
        for part, target in parts.items():
            part.replace(target)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


# The questions

_LANGUAGES: Final[dict[Language, LazyText]] = {
    "": lazy_gettext("That of the first phone"),
    "de": LazyText("Deutsch"),
    "en": LazyText("English"),
}


def ask_about(board: str | None) -> Answers:
    """Asks about the board. Each question has a default, taken with the return key."""
    say(lazy_gettext("The return key takes the answer in brackets."))
    if board is None:
        board = choose(
            lazy_gettext("What drives the board?"),
            {
                "gpio": lazy_gettext("The Raspberry Pi itself, by its header"),
                "pico": lazy_gettext("A Raspberry Pi Pico on USB"),
            },
        )
    pixels = choose(
        lazy_gettext("Which pixels did you buy?"),
        {name: text for name, (text, _, _) in PIXELS.items()},
    )
    order = choose(
        lazy_gettext(
            "In which order do they expect their colours? If you do not know, a phone can put it"
            " right later."
        ),
        {name: LazyText(name) for name in ORDERS},
        PIXELS[pixels][2],
    )
    places = choose(
        lazy_gettext("How many places has the board?"),
        {count: LazyText(str(count)) for count in range(8, 2, -1)},
    )
    language = choose(
        lazy_gettext("Which language has its display?"),
        _LANGUAGES,
    )
    display = sound = False
    if board == "gpio":  # a Pico finds out by itself
        display = yes(lazy_gettext("Has it a display or a light sensor?"))
        sound = yes(lazy_gettext("Has it a piezo?"))
    return Answers(
        board=_real(board),
        pixels=pixels,
        order=order,
        places=places,
        language=language,
        display=display,
        sound=sound,
    )


def ask_timezone() -> str:
    """Asks for the time zone; by default it is that of this computer."""
    own = own_timezone()
    while True:
        say(lazy_gettext("Which time zone is the Pi in, such as Europe/Berlin?"))
        answer = typed_line(own) or own
        if not answer or is_timezone(answer):
            return answer
        say(_no_timezone(answer))


def _no_timezone(name: str) -> LazyText:
    return lazy_gettext("{name} is not a time zone such as Europe/Berlin.", name=quoted(name))
