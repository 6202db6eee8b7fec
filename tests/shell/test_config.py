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

from pochboard.buttons.press import PressTimes
from pochboard.config import PARTS, Config, Lights, Times, optional_part
from pochboard.config_file import config_dir, data_dir, load_config
from pochboard.errors import ConfigError
from pochboard.lights.lights_config import LightsConfig
from tests.not_empty import not_empty

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


def test_the_defaults_are_those_of_the_buttons_and_the_lights() -> None:
    look = LightsConfig(places=DEFAULT.number_of_places, **msgspec.structs.asdict(Lights()))
    assert look == LightsConfig()
    seconds = msgspec.structs.asdict(Times())
    for name in not_empty(PressTimes.__struct_fields__):
        key = f"{name.removesuffix('_us')}_s"
        assert round(seconds[key] * 1_000_000) == getattr(PressTimes(), name)


def test_a_given_key_leaves_the_other_defaults(tmp_path: Path) -> None:
    text = 'board = "pico"\nnames = ["poch.home"]\n[times]\nlong_s = 1\n[lights]\nnight = true\n'
    config = loaded(tmp_path, text)
    expected = msgspec.structs.replace(
        DEFAULT,
        board="pico",
        names=("poch.home",),
        times=Times(long_s=1.0),
        lights=Lights(night=True),
    )
    assert config == expected
    assert config.with_port(0).with_host("::1") == msgspec.structs.replace(
        expected, port=0, host="::1"
    )
    with pytest.raises(ConfigError, match="is not an address or a host name alone"):
        config.with_host("http://127.0.0.1")


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
        ('prefix = "/"', "at `$.prefix`"),
        ('prefix = "/a/../b"', "at `$.prefix`"),
        ('prefix = "/api"', "at `$.prefix`"),
        ('trusted_proxies = ["proxy"]', "trusted_proxies: 'proxy' does not appear to be"),
        ('trusted_proxies = "10.0.0.1"', "at `$.trusted_proxies`"),
        ("[times]\nlong_s = 0.1", "Expected `float` >= 0.3 - at `$.times.long_s`"),
        ("[times]\nlong_s = inf", "Expected `float` <= 3.0 - at `$.times.long_s`"),
        ("[lights]\nnight = 1", "Expected `bool`, got `int` - at `$.lights.night`"),
        ("[gpio.pins]\nace = 28", "Expected `int` <= 27 - at `$.gpio.pins.ace`"),
        ("[gpio]\nace = 4", "unknown field `ace` - at `$.gpio`"),
        ("[times]\nlong_s = 0,5", "(at line 2, column 11)"),
        ("times = 3", "Expected `object`, got `int` - at `$.times`"),
        ("[pico]\nprot = 1", "unknown field `prot` - at `$.pico`"),
        ("data = 1", "is not set here, but with --data."),
        ("port = ", "config.toml is not TOML: "),
        ("x = " + "[" * 200 + "]" * 200, "config.toml is not TOML: it is nested too deeply"),
        ("x = " + "1" * 5_000, "config.toml is not TOML: Exceeds the limit"),
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


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(ConfigError, match=r"config\.toml is not a regular file\.$"):
        load_config(tmp_path, DATA)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"cannot be read: Not a directory\.$"):
        load_config(tmp_path / "file", DATA)


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


def test_folders_are_those_of_xdg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/eva")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/etc")
    monkeypatch.setenv("XDG_DATA_HOME", "/var/lib")
    assert (config_dir(), data_dir()) == (Path("/etc/pochboard"), Path("/var/lib/pochboard"))
    for ignored in ("", "relative/path"):
        monkeypatch.setenv("XDG_CONFIG_HOME", ignored)
        monkeypatch.setenv("XDG_DATA_HOME", ignored)
        assert config_dir() == Path("/eva/.config/pochboard")
        assert data_dir() == Path("/eva/.local/share/pochboard")


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)

    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(ConfigError, match="Set XDG_DATA_HOME"):
        data_dir()


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
