"""What the sheets say on a German board. They are drawn in English, then their words are exchanged.

The names of buttons and pools (`ace`, `seat1`) stay: configuration and doctor use them.
"""

from __future__ import annotations

import re
from typing import Final

import svg

from hardware.drawing import text_width
from pochboard.geometry.art import Language

SHEETS: Final = (
    "wiring-gpio.svg", "wiring-pico.svg", "room.svg", "chain.svg", "carrier.svg", "template.svg",
)  # fmt: skip
"""The sheets that have words. The pages of the template have those of the template."""
_TEXT: Final = re.compile(r"<(text|title)([^>]*)>([^<]*)</\1>")
_SIZE: Final = re.compile(r'font-size="([\d.]+)"')
_LENGTH: Final = re.compile(r'textLength="[\d.]+"')

_GERMAN: Final = {
    # Wiring
    r"pochboard: wiring on the Raspberry Pi's header": "pochboard: Verdrahtung an der Stiftleiste des Raspberry Pi",
    r"pochboard: wiring on a Raspberry Pi Pico": "pochboard: Verdrahtung an einem Raspberry Pi Pico",
    r"(\d+) places, (\d+) rings of (\d+) (.*) pixels: (\d+) pixels, (\d+) buttons\. Supply (\d+) A, limit (\d+) mA\.": r"\1 Plätze, \2 Ringe aus \3 Pixeln \4: \5 Pixel, \6 Knöpfe. Netzteil \7 A, Grenze \8 mA.",
    r"A button connects its pin to ground and needs no resistor\. Leave grey pins unconnected\.": "Ein Knopf verbindet seinen Pin mit Masse und braucht keinen Widerstand. Graue Pins bleiben frei.",
    r"A dot connects wires; a bow crosses without connecting\. Three bars are ground \(0 V\)\.": "Ein Punkt verbindet Leitungen, ein Bogen kreuzt sie nur. Drei Striche sind Masse (0 V).",
    r"The header from above, its pins pointing at you: pin 1 is at the end away from the USB sockets, even pins are along the edge of the Pi\.": "Die Stiftleiste von oben, die Stifte zeigen zu dir: Pin 1 ist am Ende ohne USB-Buchsen, gerade Pins sind am Rand des Pi.",
    r"The Pico from above, USB socket at the top\. It is powered over USB: leave VBUS and VSYS unconnected\.": "Der Pico von oben, USB-Buchse oben. Er bekommt Strom über USB: VBUS und VSYS bleiben frei.",
    r"5 V to pins 2 and 4, from the supply": "5 V an Pins 2 und 4, vom Netzteil",
    r"cable to the Raspberry Pi": "Kabel zum Raspberry Pi",
    r"button ground, 0 V": "Masse der Knöpfe, 0 V",
    r"all grounds joined": "alle Massen verbunden",
    r"pixel data, 3\.3 V": "Pixeldaten, 3,3 V",
    r"data, 5 V": "Daten, 5 V",
    r"close to ring ace": "nah am Ring ace",
    r"close to the chip": "nah am Chip",
    r"notch up": "Kerbe oben",
    r"open": "frei",
    r"end": "Ende",
    r"ground": "Masse",
    r"switch": "Schalter",
    r"Supply": "Netzteil",
    r"fuse ([\d.]+) A": r"Sicherung \1 A",
    r"0 V to both ends, (.*)": r"0 V an beide Enden, \1",
    r"(.*) \(free\)": r"\1 (frei)",
    r"\(optional\)": "(wahlweise)",
    r"piezo \(optional\)": "Piezo (wahlweise)",
    r"display": "Anzeige",
    r"1 pixel": "1 Pixel",
    r"(\d+) pixels": r"\1 Pixel",
    r"ring (\w+)": r"Ring \1",
    r"place (\d)": r"Platz \1",
    # Room and chain
    r"pochboard: the base plate from above, and what stands on it or hangs from the face": "pochboard: die Grundplatte von oben, mit allem, was auf ihr steht oder vom Deckel hängt",
    r"carrier board": "Trägerplatine",
    r"socket and switch": "Buchse und Schalter",
    r"spacer (\d)": r"Abstandhalter \1",
    r"pochboard: the chain of pixels, from below": "pochboard: die Kette der Pixel, von unten",
    r"from below; one colour for each fuse: pixels (.*)": r"von unten; eine Farbe je Sicherung: Pixel \1",
    r"green: data from ring to ring": "grün: Daten von Ring zu Ring",
    r"tap 5 V, 0 V": "Einspeisung 5 V, 0 V",
    # Carrier
    r"pochboard: the carrier board from the side of the parts": "pochboard: die Trägerplatine von der Seite der Bauteile",
    r"Blue: 0 V, joined by the plane on the lower side\. Yellow: traces on the upper side\.": "Blau: 0 V, verbunden durch die Fläche auf der Unterseite. Gelb: Bahnen auf der Oberseite.",
    # Template
    r"pochboard: drilling template, (.*) places, rings of (.*) pixels": r"pochboard: Bohrschablone, \1 Plätze, Ringe aus \2 Pixeln",
    r"(pochboard, )?(\d) places, rings of (.*) pixels": r"\1\2 Plätze, Ringe aus \3 Pixeln",
    r"(\d+) mm in diameter": r"\1 mm Durchmesser",
    r"seen from above": "von oben gesehen",
    r"print at 100 %: this is 100 mm": "mit 100 % drucken: Das sind 100 mm",
    r"dotted: flanges and bowls": "gepunktet: Flansche und Schalen",
    r"(.*): inserts": r"\1: Einsätze",
    r"(.*): buttons": r"\1: Taster",
    r"(.*): places": r"\1: Plätze",
    r"(.*): screws": r"\1: Schrauben",
    r"inlays, not drilled": "Leuchtfelder, nicht bohren",
    r"page (\d) of (\d): the middle": r"Seite \1 von \2: die Mitte",
    r"page (\d) of (\d): (.*)": r"Seite \1 von \2: \3",
    r"Print at 100 %. Cut along the green line,": "Mit 100 % drucken. An der grünen Linie schneiden und",
    r"tape edge to edge: crosses of one name meet.": "Kante an Kante kleben: Kreuze eines Namens treffen sich.",
}  # fmt: skip
"""By patterns of what is said in English."""


def in_words(picture: str, language: Language) -> str:
    """A sheet with its words in this language. What only programs read stays."""
    if language == "en":
        return picture
    return _TEXT.sub(_german, picture)


def _german(element: re.Match[str]) -> str:
    tag, attributes, words = element.groups()
    english = words.replace("&#x27;", "'").replace("&amp;", "&")
    for pattern, german in _GERMAN.items():
        if match := re.fullmatch(pattern, english):
            said = match.expand(german)
            if size := _SIZE.search(attributes):
                length = text_width(said, float(size[1]), bold='font-weight="bold"' in attributes)
                attributes = _LENGTH.sub(f'textLength="{length:.2f}"', attributes)
            return f"<{tag}{attributes}>{svg.escape(said)}</{tag}>"
    return element[0]
