"""What a builder is asked at a board's first light, and each fault with the one thing to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pochboard.messages.labels import pool_name
from pochboard.rules.accounts import POOLS
from pochboard.text.translator import Translator, gettext_noop

SECTIONS: Final[Mapping[str, str]] = {
    "contacts": gettext_noop("Buttons"),
    "chain": gettext_noop("Lights"),
    "brightness": gettext_noop("Brightness"),
    "display": gettext_noop("Display"),
    "sound": gettext_noop("Sound"),
}
ASKS: Final[Mapping[str, str]] = {
    "rest": gettext_noop(
        "Touch no button for three seconds. The board listens for contacts that move."
    ),
    "press": gettext_noop("Press this button once: {part}."),
    "red": gettext_noop("The whole board is lit in one colour. Which one do you see?"),
    "powered": gettext_noop(
        "Measure at the first dark pixel, between its 5 V and 0 V. Is it more than 4.5 V?"
    ),
    "where": gettext_noop("Follow the chain: tap the first part of which a pixel is dark."),
    "lit": gettext_noop(
        "{part}: how many pixels are lit before the first dark one, clockwise from the top?"
    ),
    "behind": gettext_noop("Is anything lit behind this part of the chain?"),
    "green": gettext_noop("And which colour now?"),
    "ring": gettext_noop(
        "{part}: the first pixels of its ring are lit, clockwise from the top. Is it so? If"
        " another ring is lit, tap that one."
    ),
    "place": gettext_noop(
        "{part} is lit, and no other. Is it so? If not, tap the place that is lit."
    ),
    "full": gettext_noop(
        "All pixels are white now, as bright as the limit allows. What do you see?"
    ),
    "supply": gettext_noop("Measure at the output of the supply. Is it at least 4.9 V?"),
    "count": gettext_noop(
        "Each ring counts chips, with a new colour for each lap. Can you read all of them from your"
        " chair?"
    ),
    "display": gettext_noop("The display says 4711. Can you read it?"),
    "sound": gettext_noop("The board has played four short rising beeps. What did you hear?"),
}
CHOICES: Final[Mapping[str, str]] = {
    "yes": gettext_noop("Yes"),
    "no": gettext_noop("No"),
    "silent": gettext_noop("I pressed it, and nothing happens"),
    "red": gettext_noop("Red"),
    "green": gettext_noop("Green"),
    "blue": gettext_noop("Blue"),
    "mixed": gettext_noop("Several colours"),
    "some": gettext_noop("A part of it is dark"),
    "dark": gettext_noop("All is dark"),
    "unsteady": gettext_noop("It flickers"),
    "reversed": gettext_noop("They run anticlockwise"),
    "turned": gettext_noop("They do not begin at the top"),
    "white": gettext_noop("White everywhere"),
    "fades": gettext_noop("Yellow or red towards the end"),
    "restarts": gettext_noop("It goes dark, or the Pi restarts"),
    "leaks": gettext_noop("Light shines into the next inlay"),
    "colours": gettext_noop("I cannot tell the colours apart"),
    "garbled": gettext_noop("Stripes or snow"),
    "rising": gettext_noop("Four rising beeps"),
    "same": gettext_noop("Beeps of the same pitch"),
    "faint": gettext_noop("Very quiet clicks"),
    "none": gettext_noop("Nothing"),
    "absent": gettext_noop("Skip this part"),
}
FAULTS: Final[Mapping[str, tuple[str, str]]] = {
    "closed": (
        gettext_noop("{parts}: the contact is closed although nobody presses."),
        gettext_noop("Look for a bridge of solder at {pin}; then take the other pair of contacts."),
    ),
    "flickers": (
        gettext_noop("{part}: the contact moves by itself, {number} times in three seconds."),
        gettext_noop("Solder its wire at {pin} and at the button again: one of the two is loose."),
    ),
    "no-ground": (
        gettext_noop("No button is heard at all."),
        gettext_noop("Connect the common wire of the buttons to a ground pin."),
    ),
    "silent": (
        gettext_noop("{part} is not heard, and all others are."),
        gettext_noop(
            "Measure from {pin} to the button: its wire is open, or on the wrong contact."
        ),
    ),
    "silent-several": (
        gettext_noop("Not heard: {parts}."),
        gettext_noop(
            "Look for the ground wire that they share: it is open before the first of them."
        ),
    ),
    "touching": (
        gettext_noop("{part} and {other} are heard together."),
        gettext_noop("Look for a bridge of solder between their wires or pins."),
    ),
    "joined": (
        gettext_noop("{part} is heard as {other}, which is heard as itself as well."),
        gettext_noop("Move the wire of {part} to its own pin, {pin}."),
    ),
    "buttons-swapped": (
        gettext_noop("{part} and {other} are swapped."),
        gettext_noop("Swap their two wires at the pins."),
    ),
    "buttons-rotated": (
        gettext_noop("The buttons of the places begin {number} places too early."),
        gettext_noop("Move their wires on by as many pins, so that place 1 is on {pin}."),
    ),
    "buttons-reversed": (
        gettext_noop("The buttons of the places run the other way round."),
        gettext_noop("Connect them in the opposite order, with place 1 on {pin}."),
    ),
    "buttons-permuted": (
        gettext_noop("These buttons are mixed up: {parts}."),
        gettext_noop(
            "Pull their wires off, and connect each to the pin on the drawing; {part} to {pin}."
        ),
    ),
    "bounces": (
        gettext_noop("{part} was pressed once and heard {number} times."),
        gettext_noop("Replace the button, or raise debounce_s in config.toml."),
    ),
    "no-data": (
        gettext_noop("The pixels have 5 V, but no data arrive."),
        gettext_noop(
            "Check the level shifter: 5 V at pin 14, 0 V at pin 1, data at pin 2; then DIN."
        ),
    ),
    "no-power": (
        gettext_noop("No 5 V arrive at pixel {number}."),
        gettext_noop(
            "Measure from the supply on: at the switch, behind the fuse, at the clamp of its ring."
        ),
    ),
    "unsteady": (
        gettext_noop("The pixels flicker."),
        gettext_noop(
            "Connect 0 V of the supply to the ground of the Pi or Pico, beside the data wire."
        ),
    ),
    "kind": (
        gettext_noop("The pixels take another number of bytes than the board sends."),
        gettext_noop(
            "Set kind in config.toml: pixels with a white of their own are rgbw, others rgb."
        ),
    ),
    "same-colours": (
        gettext_noop("Red and green cannot look the same."),
        gettext_noop("Look at the board again."),
    ),
    "order": (
        gettext_noop("The pixels expect their colours in the order {order}."),
        gettext_noop("The board sends that order as soon as you test again."),
    ),
    "ends-before": (
        gettext_noop("The chain ends before {part}: pixel {number} gets no data."),
        gettext_noop(
            "Check the wire from pixel {before} into {part}; then replace pixel {number}."
        ),
    ),
    "ends-inside": (
        gettext_noop("The chain ends in {part}: pixel {number} gets no data."),
        gettext_noop(
            "Check the joint between pixels {before} and {number}; then replace pixel {before}."
        ),
    ),
    "pixel": (
        gettext_noop("{part}: pixel {number} is dark and passes the data on."),
        gettext_noop("Replace pixel {number}: its light is broken."),
    ),
    "skipped": (
        gettext_noop("{part} is dark, and the chain goes on behind it."),
        gettext_noop("Plug {part} in: the ring before it is connected to the one behind it."),
    ),
    "reversed": (
        gettext_noop("{part}: the pixels run anticlockwise."),
        gettext_noop(
            "Put its string into the holes the other way round; the first one stays at the top."
        ),
    ),
    "turned": (
        gettext_noop("{part}: the first pixel is not at the top."),
        gettext_noop("Move its string on until the first pixel is in the hole with the mark."),
    ),
    "rings-swapped": (
        gettext_noop("The rings of {part} and {other} are swapped in the chain."),
        gettext_noop("Swap the two: unscrew and exchange them, or change their plugs."),
    ),
    "rings-permuted": (
        gettext_noop("The chain visits these rings in another order: {parts}."),
        gettext_noop("Plug them together as on the drawing of the chain, from {part} on."),
    ),
    "lights-swapped": (
        gettext_noop("The lights of {part} and {other} are swapped."),
        gettext_noop("Exchange the two pixels."),
    ),
    "lights-rotated": (
        gettext_noop("The lights of the places begin {number} places too late."),
        gettext_noop("Move the last string on, so that its first pixel is at place 1."),
    ),
    "lights-reversed": (
        gettext_noop("The lights of the places run the other way round."),
        gettext_noop("Turn the last string round, with its first pixel at place 1."),
    ),
    "lights-permuted": (
        gettext_noop("The lights of these places are mixed up: {parts}."),
        gettext_noop("Put the pixels of the last string into the holes in order, from place 1 on."),
    ),
    "thin-wires": (
        gettext_noop("The supply holds 5 V, but the end of the chain gets less."),
        gettext_noop(
            "Connect 5 V and 0 V to the chain at its end as well; look for a loose clamp."
        ),
    ),
    "sagging-supply": (
        gettext_noop("The supply sags when the board is bright."),
        gettext_noop("Take one that holds 5 V at the limit, or lower limit_ma in config.toml."),
    ),
    "weak-supply": (
        gettext_noop("The supply switches off when the board is bright."),
        gettext_noop("Lower limit_ma in config.toml below what is printed on the supply."),
    ),
    "leaking": (
        gettext_noop("Light of one pixel shines into the next inlay."),
        gettext_noop("Press the mask flat against the wood, and print it in black."),
    ),
    "alike": (
        gettext_noop("Some colours of the counts look alike."),
        gettext_noop("Print the inlays thinner, or in a clearer material."),
    ),
    "display-dark": (
        gettext_noop("The display stays dark."),
        gettext_noop("Swap SDA and SCL; then measure 3.3 V between its VCC and GND."),
    ),
    "display-garbled": (
        gettext_noop("The display is disturbed."),
        gettext_noop(
            "Lead its wires away from the data wire; then add 4.7 kΩ from SDA and SCL to 3.3 V."
        ),
    ),
    "sound-same": (
        gettext_noop("The piezo has an oscillator of its own."),
        gettext_noop("Take a passive one: it plays every pitch that it is given."),
    ),
    "sound-faint": (
        gettext_noop("That is a magnetic buzzer, not a piezo."),
        gettext_noop("Take a passive piezo disc, 20 to 35 mm wide."),
    ),
    "sound-none": (
        gettext_noop("The piezo is silent."),
        gettext_noop("Check its two wires, then piezo in config.toml or PIEZO in settings.py."),
    ),
}
TUNES: Final[Mapping[str, str]] = {
    "knock": gettext_noop("Two low knocks: somebody opens the betting or raises"),
    "chips": gettext_noop("Two short high beeps: other chips move"),
    "claim": gettext_noop("Four rising beeps: a claim"),
    "win": gettext_noop("Three rising notes: somebody wins the betting"),
    "out": gettext_noop("Two high notes and a lower one: somebody has played the last card"),
    "turn": gettext_noop("Two rising notes: in the betting, it is another player's turn"),
    "refused": gettext_noop("Two falling low notes: something is refused"),
    "end": gettext_noop("Four rising notes: the end of a night"),
    "volume": gettext_noop("One high note: the volume was changed"),
}
"""What each tune sounds like, and what it means."""


def part_name(part: str, t: Translator) -> str:
    """What a button, a pool or a place is called."""
    if part in POOLS:
        return pool_name(part, t)
    if part == "places":
        return t.gettext("The places")
    if part in ("next", "undo"):
        return t.gettext(part)
    return t.gettext("Place {place}", place=int(part.removeprefix("seat")))
