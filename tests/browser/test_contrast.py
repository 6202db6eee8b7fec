"""Contrast that axe-core does not look at (WCAG 1.4.3, 1.4.11), by day and by night.

That is the writing on the board, controls that say why they do nothing now, the borders of fields
and the ring of the focus; and what is left of a choice when the system replaces all colours.
"""

from __future__ import annotations

import io
from typing import Any, Final

import pytest
from PIL import Image

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import reach, walk
from tests.browser.test_page import wait_for_all_of_it
from tests.browser.window import Scheme, Window

LEAST_OF_TEXT: Final = 4.5
LEAST_OF_PARTS: Final = 3.0
SCHEMES: Final[tuple[Scheme, ...]] = ("light", "dark")

_COLOURS: Final = """
  const parsed = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = ([r, g, b, a], under) =>
    [...[r, g, b].map((part, i) => part * a + under[i] * (1 - a)), 1];
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const line = (part) => {
    const all = [];
    for (let one = part; one; one = one.parentElement) all.unshift(one);
    return all;
  };
  const opacity = (part) =>
    line(part).reduce((product, one) => product * getComputedStyle(one).opacity, 1);
  const behind = (part) => line(part).reduce((under, one) => {
    const [r, g, b, a] = parsed(getComputedStyle(one).backgroundColor);
    return over([r, g, b, a * opacity(one)], under);
  }, [255, 255, 255, 1]);
  const seen = (part) => part.checkVisibility({visibilityProperty: true}) && !part.closest(".quiet")
    && getComputedStyle(part).clipPath === "none";
  const low = (part, ratio, least) =>
    ratio < least ? [`${ratio.toFixed(2)}: ${part.outerHTML.slice(0, 160)}`] : [];
"""
_FAINT_TEXT: Final = f"""(least) => {{ {_COLOURS}
  return [...document.querySelectorAll("body *:not(svg *, script, :disabled, option)")]
    .filter((part) => seen(part) && [...part.childNodes].some((node) =>
      node.nodeType === Node.TEXT_NODE && node.textContent.trim()))
    .flatMap((part) => {{
      const [r, g, b, a] = parsed(getComputedStyle(part).color);
      const under = behind(part);
      return low(part, contrast(over([r, g, b, a * opacity(part)], under), under), least);
    }});
}}"""
_FAINT_FIELDS: Final = f"""(least) => {{ {_COLOURS}
  const fields = "input:not([type=radio], [type=checkbox], [type=range]), select";
  return [...document.querySelectorAll(fields)].filter(seen).flatMap((part) => {{
    const border = parsed(getComputedStyle(part).borderBottomColor);
    return [part, part.parentElement].flatMap((side) => {{
      const under = behind(side);
      return low(part, contrast(over(border, under), under), least);
    }});
  }});
}}"""
_FAINT_RINGS: Final = f"""(least) => {{ {_COLOURS}
  const stops = "a, button:not(.press), input, select, summary";
  return [...document.querySelectorAll(stops)]
    .filter((part) => part.tabIndex >= 0 && !part.disabled && part.checkVisibility())
    .flatMap((part) => {{
      part.focus();
      const ringed = part.matches(".quiet") ? part.closest("label") ?? part : part;
      const {{outlineStyle, outlineColor}} = getComputedStyle(ringed);
      if (outlineStyle === "none") return [`no ring: ${{part.outerHTML.slice(0, 160)}}`];
      const under = behind(ringed.parentElement);
      return low(part, contrast(over(parsed(outlineColor), under), under), least);
    }});
}}"""
# The middle letter of each text of the board: where it is, and its colour.
_WRITING: Final = f"""() => {{ {_COLOURS}
  return [...document.querySelectorAll("svg.board g:not(.absent) > text")]
    .filter((part) => part.textContent.trim() && part.getClientRects().length)
    .map((part) => {{
      const {{x, y}} = part.getStartPositionOfChar(Math.floor(part.getNumberOfChars() / 2))
        .matrixTransform(part.getScreenCTM());
      const style = getComputedStyle(part);
      const [r, g, b, a] = parsed(style.fill);
      const named = `${{part.closest("g[class]").getAttribute("class")}}: ${{part.textContent}}`;
      return {{named, x, y, colour: [r, g, b, a * opacity(part) * style.fillOpacity]}};
    }});
}}"""


def _light(colour: tuple[float, ...]) -> float:
    """The relative luminance of WCAG 2."""
    r, g, b = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (part / 255 for part in colour)
    )
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def faint_writing(window: Window) -> list[str]:
    """Texts of the drawn board that are too like what is beneath them."""
    window.page.evaluate("scrollTo(0, 0)")
    writing: list[dict[str, Any]] = window.page.evaluate(_WRITING)
    assert writing
    hide = (
        "(shown) => document.querySelectorAll('svg.board text').forEach("
        "(part) => part.style.setProperty('visibility', shown))"
    )
    window.page.evaluate(hide, "hidden")
    picture = Image.open(io.BytesIO(window.page.screenshot())).convert("RGB")
    window.page.evaluate(hide, "")
    found: list[str] = []
    for text in writing:
        spot = round(text["x"]), round(text["y"])
        if not (0 <= spot[0] < picture.width and 0 <= spot[1] < picture.height):
            continue
        under: Any = picture.getpixel(spot)
        *parts, alpha = text["colour"]
        colour = tuple(
            part * alpha + below * (1 - alpha) for part, below in zip(parts, under, strict=True)
        )
        dark, bright = sorted((_light(colour), _light(under)))
        ratio = (bright + 0.05) / (dark + 0.05)
        if ratio < LEAST_OF_TEXT:
            found.append(f"{ratio:.2f}: {text['named']}")
    return found


def test_everything_written_can_be_read(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(daemon, "desktop", host=LAN_NAME)
    found: list[str] = []
    for stage in walk(daemon):
        wait_for_all_of_it(window, stage)
        window.wait_until_controls_act()  # until then they look as if they did not
        for scheme in SCHEMES:
            window.choose_scheme(scheme)
            faint = [*faint_writing(window), *window.page.evaluate(_FAINT_TEXT, LEAST_OF_TEXT)]
            found += [f"{stage}, {scheme}, {text}" for text in faint]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("stage", ["lobby", "pochen"])
def test_fields_and_the_focus_can_be_seen(
    daemon: Daemon, open_window: OpenWindow, stage: str
) -> None:
    reach(daemon, stage)
    window = open_window(daemon, "phone", host=LAN_NAME)
    wait_for_all_of_it(window, stage)
    if stage == "lobby":
        window.tap(".house summary")
    found: list[str] = []
    for scheme in SCHEMES:
        window.choose_scheme(scheme)
        found += window.page.evaluate(_FAINT_FIELDS, LEAST_OF_PARTS)
        window.page.keyboard.press("Tab")  # only the keyboard's focus has a ring
        found += window.page.evaluate(_FAINT_RINGS, LEAST_OF_PARTS)
    assert not found, "\n".join(found)


def test_a_choice_is_seen_when_the_system_replaces_all_colours(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "meld")
    window = open_window(daemon, "phone", host=LAN_NAME, forced_colors="active")
    wait_for_all_of_it(window, "meld")
    picks = window.find("#plates [data-seat]")
    picks.first.tap()
    window.find("#plates [aria-pressed=true]").wait_for()
    looks = "one => getComputedStyle(one).backgroundColor"
    pressed = window.find("#plates [aria-pressed=true]").evaluate(looks)
    assert pressed != window.find("#plates [aria-pressed=false]").first.evaluate(looks)
    window.tap("[data-view=board]")
    # The writing on the board keeps the colours that go with the board's.
    assert not faint_writing(window)
