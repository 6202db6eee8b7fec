"""What the drilling template says, in the languages of the engraving."""

from __future__ import annotations

from typing import Final

import msgspec

from hardware.layout import ENGRAVED
from pochboard.geometry.art import Language


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """The words of a template; the values in braces are filled in."""

    title: str
    summary: str
    diameter: str
    above: str
    scale: str
    rim: str
    flanges: str
    inserts: str
    buttons: str
    places: str
    dealer: str
    screws: str
    display: str
    display_name: str
    inlays: str
    page: str
    middle: str
    notes: tuple[str, str]


WORDS: Final[dict[Language, Words]] = {
    "en": Words(
        title="drilling template",
        summary="{places} places, rings of {ring} pixels",
        diameter="{mm} mm in diameter",
        above="seen from above",
        scale="print at 100 %: this is 100 mm",
        rim="dashed: where the rim begins",
        flanges="dotted: flanges and bowls",
        inserts="{count} × {ring} mm, 1 × {centre} mm: inserts",
        buttons="buttons",
        places="places",
        dealer="dealer's mark",
        screws="screws",
        display="display",
        display_name="display",
        inlays="inlays, not drilled",
        page="page {number} of {count}: {title}",
        middle="the middle",
        notes=(
            "Print at 100 %. Cut along the green line,",
            "tape edge to edge: crosses of one name meet.",
        ),
    ),
    "de": Words(
        title="Bohrschablone",
        summary="{places} Plätze, Ringe aus {ring} Pixeln",
        diameter="{mm} mm Durchmesser",
        above="von oben gesehen",
        scale="mit 100 % drucken: Das sind 100 mm",
        rim="gestrichelt: Beginn des Rands",
        flanges="gepunktet: Flansche und Schalen",
        inserts="{count} × {ring} mm, 1 × {centre} mm: Einsätze",
        buttons="Taster",
        places="Plätze",
        dealer="Gebermarke",
        screws="Schrauben",
        display="Anzeige",
        display_name="Anzeige",
        inlays="Leuchtfelder, nicht bohren",
        page="Seite {number} von {count}: {title}",
        middle="die Mitte",
        notes=(
            "Mit 100 % drucken. An der grünen Linie schneiden und",
            "Kante an Kante kleben: Kreuze eines Namens treffen sich.",
        ),
    ),
}


def pool_title(pool: str, language: Language) -> str:
    """What a page that shows a pool is called."""
    return pool if language == "en" else ENGRAVED[language][pool].capitalize()
