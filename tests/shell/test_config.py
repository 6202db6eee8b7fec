"""The configuration: defaults, refusals and their sentences, and its page in docs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.buttons.press import BUTTONS, PressTimes
from pochboard.config import (
    Config,
    Lights,
    Pins,
    Times,
    config_dir,
    data_dir,
    keys,
    load_config,
)
from pochboard.errors import ConfigError
from pochboard.lights.lights_config import LightsConfig
from pochboard.rulesets.catalog import load_catalog
from pochboard.text.allowed_values import why_refused
from tests.some import some

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


def test_the_page_shows_every_key_with_its_default_and_what_it_takes(tmp_path: Path) -> None:
    example = blocks()[0]
    assert loaded(tmp_path, example) == DEFAULT
    assert list(flat(tomllib.loads(example))) == list(keys())
    first, *others = re.split(r"^\[(.*)\]$", example, flags=re.MULTILINE)
    tables = {"": first, **dict(zip(others[::2], others[1::2], strict=True))}
    for name, hint in some(keys().items()):
        table, _, key = name.rpartition(".")
        comment = re.search(rf"^# (.*)\n{key} = ", tables[table], re.MULTILINE)
        assert comment, name
        assert all(word in comment[1] for word in allowed(hint)), name


def allowed(hint: object) -> list[str]:
    """What the error for a wrong value says that it must be; for words, each of them."""
    sentence = str(why_refused(hint, None, "key", bare=True))
    words = sentence.removeprefix("key must be ").removesuffix(", not null.")
    assert words != sentence
    words = words.removesuffix(".")
    return re.findall('"[^"]*"', words) if words.startswith('"') else [words]


def test_the_page_s_house_ruleset_is_good(tmp_path: Path) -> None:
    (tmp_path / "rulesets").mkdir()
    (tmp_path / "rulesets" / "sunday.toml").write_text(blocks()[1], "utf-8")
    catalog = load_catalog(tmp_path)
    assert catalog.problems == []
    assert catalog.rulesets["sunday"].stack == 60


def test_the_defaults_are_those_of_the_buttons_and_the_lights() -> None:
    look = LightsConfig(places=DEFAULT.places, **msgspec.structs.asdict(Lights()))
    assert look == LightsConfig()
    seconds = msgspec.structs.asdict(Times())
    for name in some(PressTimes.__struct_fields__):
        key = f"{name.removesuffix('_us')}_s"
        assert round(seconds[key] * 1_000_000) == getattr(PressTimes(), name)


def test_the_default_pins_are_those_of_the_hardware() -> None:
    plan = tomllib.loads((PAGE.parents[1] / "hardware" / "pins.toml").read_text("utf-8"))
    pins = {name: pin["gpio"] for name, pin in plan["buttons"].items()}
    assert msgspec.structs.asdict(Pins()) == pins
    assert list(Pins.__struct_fields__) == list(BUTTONS)


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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("port = 65536", "port must be a whole number from 0 to 65535, not 65536."),
        (
            'port = "8441"',
            (
                'port must be a whole number from 0 to 65535, not "8441". Leave out'
                " the quotation marks."
            ),
        ),
        ("port = 80.5", "port must be a whole number from 0 to 65535, not 80.5."),
        ("port = true", "port must be a whole number from 0 to 65535, not true."),
        ("places = 2", "places must be a whole number from 3 to 8, not 2."),
        ('board = "pi"', 'board must be "gpio", "pico" or "simulator", not "pi".'),
        ('host = ""', 'host must be an address or a host name, not "".'),
        ('host = "a\\n"', 'host must be an address or a host name, not "a\\n".'),
        # Python's resolver raises UnicodeError for these.
        ('host = "poch..home"', 'host must be an address or a host name, not "poch..home".'),
        ('host = ".home"', 'host must be an address or a host name, not ".home".'),
        (
            f'host = "{64 * "a"}.home"',
            f'host must be an address or a host name, not "{64 * "a"}.home".',
        ),
        (
            '[gpio.wled]\nhost = "wled..local"',
            'gpio.wled.host must be an address or a host name, or "" for none, not "wled..local".',
        ),
        (
            '[mqtt]\nhost = "a..b"',
            'mqtt.host must be an address or a host name, or "" for none, not "a..b".',
        ),
        ('names = "a"', 'names must be a list of host names, such as ["poch.home"], not "a".'),
        ('names = ["a b"]', "names must be a list of host names"),
        ('names = ["http://a"]', "names must be a list of host names"),
        ('names = ["a:70000"]', 'names must be a list of host names, such as ["poch.home"], not'),
        ('names = ["a:x"]', "names must be a list of host names"),
        ('prefix = "poch"', "prefix must be a path that pochboard does not use itself, such as"),
        ('prefix = "/"', "prefix must be a path"),
        ('prefix = "/poch/"', "prefix must be a path"),
        ('prefix = "/a/../b"', "prefix must be a path"),
        ('prefix = "//evil.example"', "prefix must be a path"),
        ('prefix = "/api"', "prefix must be a path that pochboard does not use itself"),
        ('prefix = "/nights/x"', "prefix must be a path that pochboard does not use itself"),
        (
            'trusted_proxies = ["proxy"]',
            (
                'trusted_proxies must be a list of addresses or networks, such as ["127.0.0.1",'
                ' "172.30.32.0/23"], not ["proxy"].'
            ),
        ),
        ('trusted_proxies = ["10.0.0.300"]', "trusted_proxies must be a list of addresses"),
        ('trusted_proxies = "10.0.0.1"', "trusted_proxies must be a list of addresses"),
        ('trusted_proxies = ["10.0.0.0/33"]', "trusted_proxies must be a list of addresses"),
        ("[times]\nlong_s = 0.1", "times.long_s must be a number from 0.3 to 3, not 0.1."),
        ("[times]\nlong_s = nan", "times.long_s must be a number from 0.3 to 3, not nan."),
        ("[times]\nlong_s = inf", "times.long_s must be a number from 0.3 to 3, not inf."),
        (
            "[lights]\nbrightness = 0",
            "brightness must be a number above 0 and up to 1, not 0.",
        ),
        ("[lights]\nnight = 1", "lights.night must be true or false, not 1."),
        ('[lights]\npalette = ["#fff"]', "lights.palette must be a list of six colours"),
        (
            "[gpio.pins]\nace = 28",
            "ace must be a GPIO number: 2 to 6, 12, 13, or 16 to 27, not 28.",
        ),
        (
            '[gpio]\norder = "RGBW"',
            'gpio.order must be "BGR", "BRG", "GBR", "GRB", "RBG" or "RGB", not "RGBW". Did you',
        ),
        ("[gpio]\npins = 4", "gpio.pins must be a table. Begin it with the line [gpio.pins]."),
        ("[gpio]\nace = 4", "gpio.ace is not a key. Did you mean gpio.pins.ace?"),
        ('[wifi]\npassword = "a"', "for a random one that is kept."),
        ("[times]\nlong_s = 0,5", "line 2, column 11: The line has more than one value, or an"),
        ("[mqtt]\npassword = 7", 'or "" for none.'),
        ("times = 3", "times must be a table. Begin it with the line [times]."),
        ("prot = 1", "prot is not a key. Did you mean port?"),
        ("[pico]\nprot = 1", "pico.prot is not a key. Did you mean pico.port?"),
        ("[pico]\npalces = 1", "pico.palces is not a key. Did you mean places?"),
        ("[pico]\nkind = 3", 'pico.kind must be "rgb" or "rgbw", not 3.'),
        ('[pico]\nport = "ttyACM1"', 'pico.port must be a serial port, such as "/dev/ttyACM1", or'),
        ("brightness = 1", "brightness is not a key. Did you mean lights.brightness?"),
        ("[lights]\nlong = 1", "lights.long is not a key. Did you mean times.long_s?"),
        ("data = 1", "data is not a key. The keys are host, port, "),
        ("[zzz]\nx = 1", "zzz is not a key. The keys are host, port, "),
        ("port = ", "config.toml is not TOML: "),
        ("x = " + "[" * 20_000, "config.toml is not TOML: It is nested too deeply."),
        ("x = " + "[" * 200 + "]" * 200, "config.toml is not TOML: It is nested too deeply."),
        ("x." * 1_000 + "x = 1", "config.toml is not TOML: It is nested too deeply."),
        ("x = " + "1" * 5_000, "config.toml is not TOML: A number is too large."),
        (b"# caf\xe9", "config.toml is not UTF-8 at byte 5. Save it as UTF-8."),
    ],
)
def test_an_error_names_file_key_and_allowed_values(
    tmp_path: Path, text: str | bytes, says: str
) -> None:
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


@given(st.recursive(st.integers() | st.floats() | st.booleans() | st.text(), st.lists), st.data())
def test_every_key_accepts_a_value_or_names_what_it_must_be(
    value: object, data: st.DataObject
) -> None:
    from pochboard.config import _checked

    name = data.draw(st.sampled_from(sorted(keys())))
    *tables, key = name.split(".")
    given: dict[str, Any] = {key: value}
    for table in reversed(tables):
        given = {table: given}
    refused = None
    try:
        checked = _checked(Config, given, "")
    except ConfigError as error:
        refused, checked = str(error), given
    assert refused is None or refused.startswith(f"{name} must be ")
    assert list(checked) == [*tables, key][:1]


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
