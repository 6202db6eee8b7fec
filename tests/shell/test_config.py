"""The configuration: defaults, refusals and their sentences, and its page in docs."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.config import PARTS, Config, optional_part
from pochboard.config_file import load_config
from pochboard.errors import ConfigError

PAGE = Path(__file__).parents[2] / "docs" / "CONFIG.md"
DATA = Path("/data")
DEFAULT = Config(data=DATA)


def loaded(folder: Path, text: str | bytes) -> Config:
    (folder / "config.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_config(folder, DATA)


def blocks() -> list[str]:
    return re.findall(r"^```toml\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def flat(values: dict[str, Any], within: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        name = within + key
        found |= flat(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return found


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "none", DATA) == DEFAULT
    assert loaded(tmp_path, "") == DEFAULT
    assert (DEFAULT.host, DEFAULT.port, DEFAULT.board) == ("127.0.0.1", 8441, "simulator")
    assert DEFAULT.ledger == DATA / "ledger.db"


def test_the_page_shows_every_key_with_its_default(tmp_path: Path) -> None:
    example = blocks()[0]
    assert loaded(tmp_path, example) == DEFAULT
    settings = msgspec.to_builtins(DEFAULT, enc_hook=str)
    del settings["parts"]
    settings |= {name: msgspec.to_builtins(optional_part(name).settings()) for name in PARTS}
    assert list(flat(tomllib.loads(example))) == [key for key in flat(settings) if key != "data"]
    assert len(re.findall(r"^# .*\n\w+ = ", example, re.MULTILINE)) > 20


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("port = 65536", "Expected `int` <= 65535 - at `$.port`"),
        ("port = true", "Expected `int`, got `bool` - at `$.port`"),
        ('board = "pi"', "Invalid enum value 'pi' - at `$.board`"),
        ('host = "a\\n"', "at `$.host`"),
        # Python's resolver raises UnicodeError for these.
        ('host = ".home"', "at `$.host`"),
        ('[mqtt]\nhost = "a..b"', "at `$.mqtt.host`"),
        ('host = "http://poch.home"', "host: http://poch.home is not an address or a host name"),
        ('host = "poch.home/tv"', "without scheme, port or path"),
        ('host = "“poch.home”"', "host: “poch.home” has a character that no host name has"),
        ('[mqtt]\nhost = "poch\u200b.home"', r"mqtt.host: poch\u200b.home has a character"),
        ('[mqtt]\nhost = "10.0.0.5:1883"', "mqtt.host: 10.0.0.5:1883 is not an address"),
        ('[mqtt]\nhost = "me@home"', "mqtt.host: me@home is not an address"),
        ('prefix = "http://poch.home/poch"', "Expected other text - at `$.prefix`"),
        ('trusted_proxies = ["127.0.0.1:80"]', "trusted_proxies: '127.0.0.1:80' does not"),
        ('names = ["http://a"]', "Expected other text - at `$.names[0]`"),
        ('names = ["a:x"]', "at `$.names[0]`"),
    ],
)
def test_an_error_names_file_and_key(tmp_path: Path, text: str | bytes, says: str) -> None:
    with pytest.raises(ConfigError) as raised:
        loaded(tmp_path, text)
    assert says in str(raised.value)
    assert str(raised.value).startswith(str(tmp_path / "config.toml"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_and_other_line_ends_are_read(tmp_path: Path, encoding: str) -> None:
    text = 'names = ["zoë.home"]\r\n[wifi]\r\nname = "Poch"\r\n'.replace("ë", "e")
    read = loaded(tmp_path, text.encode(encoding))
    assert (read.names, read.wifi.name) == (("zoe.home",), "Poch")


KEYS = sorted(key for key in flat(msgspec.to_builtins(DEFAULT, enc_hook=str)) if key != "data")


@given(
    st.recursive(st.integers() | st.booleans() | st.text("ab/"), st.lists), st.sampled_from(KEYS)
)
def test_every_key_accepts_a_value_or_is_named(value: object, name: str) -> None:
    with TemporaryDirectory() as folder:
        table, _, key = name.rpartition(".")
        text = f"{key} = {json.dumps(value)}\n"
        refused = f"`$.{name}"
        try:
            loaded(Path(folder), f"[{table}]\n{text}" if table else text)
        except ConfigError as error:
            refused = str(error)
        assert f"`$.{name}" in refused or f"{name}: " in refused


def test_proxies_are_configured(tmp_path: Path) -> None:
    read = loaded(
        tmp_path,
        'names = ["nas.local:81", "poch.home"]\nprefix = "/poch/v1.0"\n'
        'trusted_proxies = ["127.0.0.1", "172.30.32.0/23", "2001:db8::/32", "::1"]\n',
    )
    assert read.names == ("nas.local:81", "poch.home")
    assert read.prefix == "/poch/v1.0"
    assert len(read.trusted_proxies) == 4
    assert loaded(tmp_path, 'prefix = "/apis"').prefix == "/apis"
