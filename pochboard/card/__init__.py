"""The files on an SD card that set up a Pi on its first boot: `user-data`, and a script.

`user-data` is read by cloud-init, which Raspberry Pi OS (trixie) has in all images after that of
2025-10-01; rpi-preseed, with `rpi-preseed.toml`, is to supersede it (systemd/README.md has the
sources). `user_data` is a whole file, for a card on which the Imager has set nothing but the Wi-Fi;
`joined_files` adds what we need to what else it has set.

Nothing here needs Linux: a card is made on macOS and Windows as well.
"""

from __future__ import annotations

import base64
import gzip
import io
import re
import tarfile
import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from pochboard.errors import PochboardError
from pochboard.geometry.dimensions import source_folder
from pochboard.text.encodings import written_text

HOSTNAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
"""A name of a machine, by RFC 1123."""
SETUP: Final = "pochboard-setup"
"""The script, on the drive."""
_DRIVE: Final = "/boot/firmware"
"""Where Raspberry Pi OS mounts the drive of the card that other computers see."""
_FOLDER: Final = "/var/lib/pochboard-first-boot"
_PROGRAM: Final = f"{_FOLDER}/program.tar.gz"
_CONFIG: Final = "/etc/pochboard/config.toml"
SETUP_COMMAND: Final = f"sh {_DRIVE}/{SETUP}"
"""How the first boot runs the script on the drive."""
_END: Final = "END-OF-POCHBOARD-FILE"
_USER_DATA: Final = "user-data"
_PRESEED: Final = "rpi-preseed.toml"
_BOOT_FILES: Final = ("cmdline.txt", "config.txt")
_RUNCMD: Final = re.compile(r"^runcmd:[ \t]*\n(?:[ \t]*(?:#.*)?\n)*([ \t]*)- ", re.MULTILINE)
"""The beginning of the commands in user-data, with the indentation of the first."""
_UNIT: Final = f"""\
[Unit]
Description=Installs pochboard on the first boot
After=cloud-final.service network.target
ConditionPathExists={_FOLDER}/run

[Service]
# Its status without a network: systemd tries it again. What fails with one would fail again.
RestartForceExitStatus=75
Type=exec
Environment=HOME=/root
ExecStart=/bin/bash {_FOLDER}/run
RestartSec=30

[Install]
WantedBy=multi-user.target
"""

_RUN: Final = """\
set -eu
cd {folder}
apt-get update -qq || true
rm -rf source
mkdir source
tar --extract --gzip --file program.tar.gz --directory source
bash source/systemd/install.sh --no-start || {{
    apt-get update -qq --error-on=any || exit 75
    echo "pochboard could not be installed; see above. To try again, type: sudo bash {folder}/run"
    exit 1
}}
systemctl disable pochboard-first-boot.service
cd /
rm -rf {folder} /etc/systemd/system/pochboard-first-boot.service
# The lines of config.txt take effect when the Pi starts.
systemctl --no-block reboot
"""

_START: Final = """\
systemctl daemon-reload
systemctl enable --now --no-block pochboard-first-boot.service
"""

_LOGIN: Final = """\
# To log in, too, remove the # of these lines and of the last one, and choose a password:
#users:
#  - name: poch
#    groups: [adm, sudo]
#    shell: /bin/bash
#    sudo: ALL=(ALL) NOPASSWD:ALL
#    lock_passwd: false
#    plain_text_passwd: choose-one
#ssh_pwauth: true
"""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """What a card sets up."""

    program: bytes
    """The archive of the program."""
    config: str
    """The text of config.toml."""
    hostname: str = "pochboard"
    timezone: str = ""
    """Such as Europe/Berlin; empty for that of the system."""


def setup_script(card: Card) -> str:
    """The script on the drive that puts everything in place, for /bin/sh."""
    files = ((_PROGRAM, card.program), (_CONFIG, _ended(card.config).encode()))
    return (
        _script()
        + "".join(
            f"[ -e {path} ] || base64 --decode >{path} <<'{_END}'\n"
            f"{base64.encodebytes(content).decode()}{_END}\n"
            for path, content in files
        )
        + _START
    )


def _script() -> str:
    """The beginning of the script: the unit, and what it runs."""
    run = _RUN.format(folder=_FOLDER)
    return (
        "#!/bin/sh\n"
        "# Installs pochboard on the first boot of a Pi. Made by pochboard card.\n"
        "set -eu\numask 022\n"
        f"mkdir -p {_FOLDER} {_CONFIG.rpartition('/')[0]}\n"
        f"cat >{_FOLDER}/run <<'{_END}'\n{run}{_END}\n"
        f"cat >/etc/systemd/system/pochboard-first-boot.service <<'{_END}'\n{_UNIT}{_END}\n"
    )


def user_data(card: Card) -> str:
    """The whole file for cloud-init. The configuration in it can be edited on the drive."""
    lines = [
        "#cloud-config",
        "# Sets up a Raspberry Pi with Raspberry Pi OS (trixie) as a pochboard: copy this file to",
        "# the drive bootfs of the card. systemd/README.md says how. Made by pochboard card.",
        f"hostname: {card.hostname}",
        "manage_etc_hosts: localhost",
    ]
    if card.timezone:
        lines.append(f"timezone: {card.timezone}")
    lines += [*_LOGIN.splitlines(), "write_files:"]
    lines += [f"  - path: {_CONFIG}", *_as_yaml(card.config)]
    lines += [f"  - path: {_FOLDER}/setup", *_as_yaml(_script() + _START)]
    packed = base64.encodebytes(card.program).decode()
    lines += [f"  - path: {_PROGRAM}", "    encoding: b64", "    content: |", *_indented(packed)]
    lines += [
        "runcmd:",
        f"  - [sh, {_FOLDER}/setup]",
        "#  - [systemctl, enable, --now, ssh]",
    ]
    return "\n".join(lines) + "\n"


def _as_yaml(text: str) -> list[str]:
    """The content of a file in `write_files`: readable, if YAML takes all its characters."""
    if any(_is_odd(char) for char in text):
        packed = base64.encodebytes(text.encode()).decode()
        return ["    encoding: b64", "    content: |", *_indented(packed)]
    return ["    content: |2", *_indented(_ended(text))]


def _is_odd(char: str) -> bool:
    """Whether YAML would refuse a character, or end a line at it."""
    return char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _indented(text: str) -> list[str]:
    return [f"      {line}" if line else "" for line in text.removesuffix("\n").split("\n")]


def _ended(text: str) -> str:
    """A text that ends with a line feed."""
    return text if text.endswith("\n") else f"{text}\n"


# A card that Raspberry Pi Imager has written.


class DriveError(PochboardError):
    """A drive that cannot be made to set up a Pi."""


def joined_files(drive: Path, card: Card) -> dict[str, bytes]:
    """The files to write onto this drive, by name. Raises DriveError, and OSError."""
    if not all((drive / name).is_file() for name in _BOOT_FILES):
        raise DriveError(
            f"{drive} is not the drive of a card with Raspberry Pi OS: it has no"
            " cmdline.txt and config.txt."
        )
    for name, join in ((_PRESEED, _joined_preseed), (_USER_DATA, _joined_user_data)):
        if (drive / name).is_file():
            try:
                text = join(written_text((drive / name).read_bytes()), card)
            except ValueError:  # also a text that is not UTF-8
                raise DriveError(_not_joined(drive / name)) from None
            return {name: text.encode(), SETUP: setup_script(card).encode()}
    raise DriveError(
        f"{drive} has neither user-data nor rpi-preseed.toml. Write Raspberry Pi OS"
        " (trixie) to the card with Raspberry Pi Imager 2, and set the Wi-Fi there."
    )


def _not_joined(file: Path) -> str:
    return f"{file} is not as Raspberry Pi Imager writes it. Write the card again with the Imager."


def _joined_preseed(text: str, card: Card) -> str:
    """The Imager's rpi-preseed.toml with ours. Raises ValueError."""
    tables = tomllib.loads(text)
    if SETUP_COMMAND in tables.get("runcmd", {}).get("early", ()):
        return text  # it was joined before
    if "runcmd" in tables:
        raise ValueError
    added = "" if text.endswith("\n") or not text else "\n"
    if "system" not in tables:
        added += f'[system]\nhostname = "{card.hostname}"\n'
    if "locale" not in tables and card.timezone:
        added += f'[locale]\ntimezone = "{card.timezone}"\n'
    # Its parser reads a command only up to the end of the line.
    return f'{text}{added}[runcmd]\nearly = ["{SETUP_COMMAND}"]\nearly_cmd_timeout = 120\n'


def _joined_user_data(text: str, card: Card) -> str:
    """The Imager's user-data with ours. Raises ValueError."""
    if text.strip() and not text.startswith("#cloud-config"):
        raise ValueError
    if SETUP_COMMAND in text:
        return text
    if not text.strip():
        text = "#cloud-config\n"
    text = text if text.endswith("\n") else f"{text}\n"
    if not _has_key(text, "hostname"):
        text += f"hostname: {card.hostname}\nmanage_etc_hosts: localhost\n"
    if not _has_key(text, "timezone") and card.timezone:
        text += f"timezone: {card.timezone}\n"
    if not _has_key(text, "runcmd"):
        return f"{text}runcmd:\n  - {SETUP_COMMAND}\n"
    commands = _RUNCMD.search(text)
    if commands is None:
        raise ValueError
    # Before the first command of the Imager, with the same indentation.
    at = commands.start(1)
    return f"{text[:at]}{commands[1]}- {SETUP_COMMAND}\n{text[at:]}"


def _has_key(text: str, key: str) -> bool:
    return re.search(rf"^{key}:", text, re.MULTILINE) is not None


# The program, from which `systemd/install.sh` installs it.

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
