"""The files for the first boot: `user-data`, `rpi-preseed.toml`, and the script that sets up a Pi.

`user-data` is read by cloud-init, which Raspberry Pi OS (trixie) has in all images after that of
2025-10-01, and `rpi-preseed.toml` by rpi-preseed, which is to supersede it (systemd/README.md has
the sources). Each is a whole file, for a card on which the Imager has set nothing but the Wi-Fi.
`drive.py` joins ours to what else it has set.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from typing import Final

import msgspec

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


def preseed(card: Card) -> str:
    """The whole file for rpi-preseed. The script is beside it."""
    lines = [
        'config_version = "1.1"',
        "[system]",
        f'hostname = "{card.hostname}"',
        "# Without a cable, remove the # of these lines and fill them in:",
        "#[wlan]",
        '#ssid = "the name of your Wi-Fi"',
        '#password = "its password"',
        '#country = "DE"',
    ]
    if card.timezone:
        lines += ["[locale]", f'timezone = "{card.timezone}"']
    return "\n".join(lines) + f"\n{preseed_commands()}"


def preseed_commands() -> str:
    """The table of rpi-preseed.toml that runs the script. It needs no network yet."""
    return f'[runcmd]\nearly = ["{SETUP_COMMAND}"]\nearly_cmd_timeout = 120\n'


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


HOSTNAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
"""A name of a machine, by RFC 1123."""
