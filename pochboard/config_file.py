"""The configuration file, and the folders of data and configuration."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final

import msgspec

from pochboard.config import PARTS, Config, optional_part
from pochboard.errors import ConfigError
from pochboard.text.decoding import decode_toml
from pochboard.text.encodings import written_text
from pochboard.text.lazy import os_reason

FILE: Final = "config.toml"


def config_dir() -> Path:
    """`$XDG_CONFIG_HOME/pochboard`, else `~/.config/pochboard`. Raises ConfigError."""
    return _base("XDG_CONFIG_HOME", ".config") / "pochboard"


def data_dir() -> Path:
    """`$XDG_DATA_HOME/pochboard`, else `~/.local/share/pochboard`. Raises ConfigError."""
    return _base("XDG_DATA_HOME", ".local/share") / "pochboard"


def _base(variable: str, fallback: str) -> Path:
    # The XDG base directory specification says that relative paths must be ignored.
    given = os.environ.get(variable, "")
    if Path(given).is_absolute():
        return Path(given)
    try:
        return Path.home().absolute() / fallback
    except RuntimeError:
        raise ConfigError(f"This user has no home folder. Set {variable}.") from None


def load_config(settings: Path, data: Path) -> Config:
    """The configuration in `config.toml` of the folder `settings`, or the defaults without a file.

    Raises ConfigError, which names the file, the key and its allowed values.
    """
    return load_config_file(settings / FILE, data)


def load_config_file(file: Path, data: Path) -> Config:
    """The configuration in this file, or the defaults without it. Raises ConfigError."""
    values = _read(file)
    if "data" in values:
        raise ConfigError(f"{file}: The folder of the ledger is not set here, but with --data.")
    if "parts" in values:
        raise ConfigError(f"{file}: There is no table [parts]: each part has its own.")
    tables = {name: values.pop(name) for name in PARTS if name in values}
    try:
        kinds = [(name, optional_part(name).settings) for name in tables]
        parts = msgspec.structs.asdict(msgspec.convert(tables, msgspec.defstruct("Parts", kinds)))
        there = {name: own for name, own in parts.items() if own != type(own)()}
        return msgspec.convert({**values, "data": data, "parts": there}, Config)
    except msgspec.ValidationError as error:
        reason = re.sub(r"`str` matching regex '.*'", "other text", str(error))
        raise ConfigError(f"{file}: {reason}. docs/CONFIG.md lists all keys and values.") from None


def _read(file: Path) -> dict[str, Any]:
    try:
        if file.exists() and not file.is_file():  # reading a pipe would block for ever
            raise ConfigError(f"{file} is not a regular file.")
        text = written_text(file.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {os_reason(error)}.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 at byte {error.start}. Save it as UTF-8.") from None
    try:
        return decode_toml(text)
    except ValueError as error:
        raise ConfigError(f"{file} is not TOML: {error}") from None
