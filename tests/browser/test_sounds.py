"""What a phone plays and reads aloud, and whether its screen stays on."""

from __future__ import annotations

from typing import Final

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import reach
from tests.browser.test_accessibility import violations
from tests.browser.test_page import assert_fits, small_targets
from tests.browser.window import Window

# Headless browsers have no voice, and nobody hears their sounds.
_RECORD: Final = """
  window.heard = [];
  window.spoken = [];
  const glide = AudioParam.prototype.setValueAtTime;
  AudioParam.prototype.setValueAtTime = function (value, at) {
    if (value > 20) heard.push(value);
    return glide.call(this, value, at);
  };
  Object.defineProperty(speechSynthesis, "getVoices", {value: () =>
    [{lang: "de-DE", localService: true}, {lang: "en-GB", localService: true}]});
  window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
  speechSynthesis.speak = (one) => {
    spoken.push([one.lang, one.text]);
    setTimeout(() => one.onend());
  };
  window.locks = 0;
  if (navigator.wakeLock) navigator.wakeLock.request = async () => {
    locks++;
    return {released: false, async release() { locks--; this.released = true; }};
  };
"""


def choose(window: Window, *names: str) -> None:
    """Switches what this phone does."""
    window.tap("#menu [data-device]")
    for name in names:
        window.tap(f"#drawer [name={name}]")
    window.tap("#drawer .main")


def settings_of(daemon: Daemon) -> tuple[str, bool]:
    """Brightness and night mode of the board."""
    board = daemon.ask("GET", "/api/state")[1]["board"]
    return board["brightness"], board["night"]


def hears(window: Window, *pitches: int) -> None:
    """Waits until the page has played exactly the notes that begin at these pitches."""
    window.wait_until("it sounds", lambda: window.page.evaluate("heard") == [*pitches])
    window.page.evaluate("heard.splice(0)")


def spoken(window: Window, *last: str) -> list[list[str]]:
    """What was read aloud since the last look, once this is the end of it."""

    def is_said() -> bool:
        spoken = window.page.evaluate("spoken.map(([, text]) => text)")
        return bool(spoken[-len(last) :] == list(last))

    window.wait_until(f"read aloud: {last}", is_said)
    found: list[list[str]] = window.page.evaluate("spoken.splice(0)")
    return found


def test_a_phone_reads_aloud_and_lets_the_table_be_heard(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "meld")
    size = {"width": 360, "height": 640}
    window = open_window(daemon, "phone", path=None, viewport=size)
    window.page.add_init_script(_RECORD)
    window.open()
    window.wait_until_live()
    window.wait_until("the screen is kept on", lambda: window.page.evaluate("locks") == 1)
    window.tap("#menu [data-device]")
    assert not window.find("#drawer [name=announce]").is_checked()
    assert not violations(window)
    assert not small_targets(window)
    assert_fits(window)
    # The light of the board is chosen there too, and the dialog follows it.
    window.tap("#drawer [name=brightness] >> nth=2")
    window.tap("#drawer [name=night]")
    window.wait_until("it is dim", lambda: settings_of(daemon) == ("dim", True))
    settings = {"brightness": "medium", "night": False}
    put = daemon.ask("PUT", "/api/board/settings", settings)
    assert put[0] == 204
    window.wait_until("it follows", window.find("#drawer [name=brightness] >> nth=1").is_checked)
    assert not window.find("#drawer [name=night]").is_checked()
    assert not window.find("#drawer [name=volume]").count(), "nobody hears a simulated piezo"
    window.tap("#drawer .main")
    choose(window, "announce", "table-sounds", "awake")
    window.wait_until("the screen may go dark", lambda: window.page.evaluate("locks") == 0)
    spoken(window, window.find("#ask").inner_text())
    daemon.do("next")
    daemon.do("stake", seat=2, chips=2)
    said = spoken(
        window, "Benjamin the Younger knocks with 2 chips.", "Clara’s turn: 2 chips to stay in"
    )
    assert all(language == "en" for language, _ in said)
    hears(window, 190, 190)
    assert daemon.ask("POST", "/api/board/press", {"button": "ace", "ms": 20})[0] == 200
    hears(window, 220, 165)
    spoken(window, window.find("#toast").inner_text())
    daemon.do("void")
    daemon.do("end")
    window.find("#result .ranking").wait_for()
    hears(window, 523, 659, 784, 1047)


def test_where_something_is_not_possible_it_is_said_why(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    window = open_window(daemon, host=LAN_NAME, locale="de-DE")
    window.wait_until_live()
    window.tap("#menu [data-device]")
    window.find("#drawer[open] h2").wait_for()
    said = window.find("#drawer").inner_text()
    assert "Browser erlauben das nur über HTTPS" in said
    assert "keine Stimme für die Sprache dieser Seite" in said
    assert window.find("#drawer [name=awake]").is_disabled()
