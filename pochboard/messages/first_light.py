"""What a builder is asked at a board's first light, and each fault with the one thing to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pochboard.messages.labels import pool_name
from pochboard.rules.accounts import POOLS
from pochboard.text.translator import N_, Translator

SECTIONS: Final[Mapping[str, str]] = {
    "contacts": N_("Buttons"),
    "chain": N_("Lights"),
    "brightness": N_("Brightness"),
    "display": N_("Display"),
    "sound": N_("Sound"),
}
ASKS: Final[Mapping[str, str]] = {
    "rest": N_("Touch no button for three seconds. The board listens for contacts that move."),
    "press": N_("Press this button once: {part}."),
    "red": N_("The whole board is lit in one colour. Which one do you see?"),
    "powered": N_(
        "Measure at the first dark pixel, between its 5 V and 0 V. Is it more than 4.5 V?"
    ),
    "where": N_("Follow the chain: tap the first part of which a pixel is dark."),
    "lit": N_("{part}: how many pixels are lit before the first dark one, clockwise from the top?"),
    "behind": N_("Is anything lit behind this part of the chain?"),
    "green": N_("And which colour now?"),
    "ring": N_(
        "{part}: the first pixels of its ring are lit, clockwise from the top. Is it so? If"
        " another ring is lit, tap that one."
    ),
    "place": N_("{part} is lit, and no other. Is it so? If not, tap the place that is lit."),
    "full": N_("All pixels are white now, as bright as the limit allows. What do you see?"),
    "supply": N_("Measure at the output of the supply. Is it at least 4.9 V?"),
    "count": N_(
        "Each ring counts chips, with a new colour for each lap. Can you read all of them from your"
        " chair?"
    ),
    "display": N_("The display says 4711. Can you read it?"),
    "sound": N_("The board has played four short rising beeps. What did you hear?"),
}
CHOICES: Final[Mapping[str, str]] = {
    "yes": N_("Yes"),
    "no": N_("No"),
    "silent": N_("I pressed it, and nothing happens"),
    "red": N_("Red"),
    "green": N_("Green"),
    "blue": N_("Blue"),
    "mixed": N_("Several colours"),
    "some": N_("A part of it is dark"),
    "dark": N_("All is dark"),
    "unsteady": N_("It flickers"),
    "reversed": N_("They run anticlockwise"),
    "turned": N_("They do not begin at the top"),
    "white": N_("White everywhere"),
    "fades": N_("Yellow or red towards the end"),
    "restarts": N_("It goes dark, or the Pi restarts"),
    "leaks": N_("Light shines into the next inlay"),
    "colours": N_("I cannot tell the colours apart"),
    "garbled": N_("Stripes or snow"),
    "rising": N_("Four rising beeps"),
    "same": N_("Beeps of the same pitch"),
    "faint": N_("Very quiet clicks"),
    "none": N_("Nothing"),
    "absent": N_("Skip this part"),
}
FAULTS: Final[Mapping[str, tuple[str, str]]] = {
    "closed": (
        N_("{parts}: the contact is closed although nobody presses."),
        N_("Look for a bridge of solder at {pin}; then take the other pair of contacts."),
    ),
    "flickers": (
        N_("{part}: the contact moves by itself, {number} times in three seconds."),
        N_("Solder its wire at {pin} and at the button again: one of the two is loose."),
    ),
    "no-ground": (
        N_("No button is heard at all."),
        N_("Connect the common wire of the buttons to a ground pin."),
    ),
    "silent": (
        N_("{part} is not heard, and all others are."),
        N_("Measure from {pin} to the button: its wire is open, or on the wrong contact."),
    ),
    "silent-several": (
        N_("Not heard: {parts}."),
        N_("Look for the ground wire that they share: it is open before the first of them."),
    ),
    "touching": (
        N_("{part} and {other} are heard together."),
        N_("Look for a bridge of solder between their wires or pins."),
    ),
    "joined": (
        N_("{part} is heard as {other}, which is heard as itself as well."),
        N_("Move the wire of {part} to its own pin, {pin}."),
    ),
    "buttons-swapped": (
        N_("{part} and {other} are swapped."),
        N_("Swap their two wires at the pins."),
    ),
    "buttons-rotated": (
        N_("The buttons of the places begin {number} places too early."),
        N_("Move their wires on by as many pins, so that place 1 is on {pin}."),
    ),
    "buttons-reversed": (
        N_("The buttons of the places run the other way round."),
        N_("Connect them in the opposite order, with place 1 on {pin}."),
    ),
    "buttons-permuted": (
        N_("These buttons are mixed up: {parts}."),
        N_("Pull their wires off, and connect each to the pin on the drawing; {part} to {pin}."),
    ),
    "bounces": (
        N_("{part} was pressed once and heard {number} times."),
        N_("Replace the button, or raise debounce_s in config.toml."),
    ),
    "no-data": (
        N_("The pixels have 5 V, but no data arrive."),
        N_("Check the level shifter: 5 V at pin 14, 0 V at pin 1, data at pin 2; then DIN."),
    ),
    "no-power": (
        N_("No 5 V arrive at pixel {number}."),
        N_("Measure from the supply on: at the switch, behind the fuse, at the clamp of its ring."),
    ),
    "unsteady": (
        N_("The pixels flicker."),
        N_("Connect 0 V of the supply to the ground of the Pi or Pico, beside the data wire."),
    ),
    "kind": (
        N_("The pixels take another number of bytes than the board sends."),
        N_("Set kind in config.toml: pixels with a white of their own are rgbw, others rgb."),
    ),
    "same-colours": (
        N_("Red and green cannot look the same."),
        N_("Look at the board again."),
    ),
    "order": (
        N_("The pixels expect their colours in the order {order}."),
        N_("The board sends that order as soon as you test again."),
    ),
    "ends-before": (
        N_("The chain ends before {part}: pixel {number} gets no data."),
        N_("Check the wire from pixel {before} into {part}; then replace pixel {number}."),
    ),
    "ends-inside": (
        N_("The chain ends in {part}: pixel {number} gets no data."),
        N_("Check the joint between pixels {before} and {number}; then replace pixel {before}."),
    ),
    "pixel": (
        N_("{part}: pixel {number} is dark and passes the data on."),
        N_("Replace pixel {number}: its light is broken."),
    ),
    "skipped": (
        N_("{part} is dark, and the chain goes on behind it."),
        N_("Plug {part} in: the ring before it is connected to the one behind it."),
    ),
    "reversed": (
        N_("{part}: the pixels run anticlockwise."),
        N_("Put its string into the holes the other way round; the first one stays at the top."),
    ),
    "turned": (
        N_("{part}: the first pixel is not at the top."),
        N_("Move its string on until the first pixel is in the hole with the mark."),
    ),
    "rings-swapped": (
        N_("The rings of {part} and {other} are swapped in the chain."),
        N_("Swap the two: unscrew and exchange them, or change their plugs."),
    ),
    "rings-permuted": (
        N_("The chain visits these rings in another order: {parts}."),
        N_("Plug them together as on the drawing of the chain, from {part} on."),
    ),
    "lights-swapped": (
        N_("The lights of {part} and {other} are swapped."),
        N_("Exchange the two pixels."),
    ),
    "lights-rotated": (
        N_("The lights of the places begin {number} places too late."),
        N_("Move the last string on, so that its first pixel is at place 1."),
    ),
    "lights-reversed": (
        N_("The lights of the places run the other way round."),
        N_("Turn the last string round, with its first pixel at place 1."),
    ),
    "lights-permuted": (
        N_("The lights of these places are mixed up: {parts}."),
        N_("Put the pixels of the last string into the holes in order, from place 1 on."),
    ),
    "thin-wires": (
        N_("The supply holds 5 V, but the end of the chain gets less."),
        N_("Connect 5 V and 0 V to the chain at its end as well; look for a loose clamp."),
    ),
    "sagging-supply": (
        N_("The supply sags when the board is bright."),
        N_("Take one that holds 5 V at the limit, or lower limit_ma in config.toml."),
    ),
    "weak-supply": (
        N_("The supply switches off when the board is bright."),
        N_("Lower limit_ma in config.toml below what is printed on the supply."),
    ),
    "leaking": (
        N_("Light of one pixel shines into the next inlay."),
        N_("Press the mask flat against the wood, and print it in black."),
    ),
    "alike": (
        N_("Some colours of the counts look alike."),
        N_("Print the inlays thinner, or in a clearer material."),
    ),
    "display-dark": (
        N_("The display stays dark."),
        N_("Swap SDA and SCL; then measure 3.3 V between its VCC and GND."),
    ),
    "display-garbled": (
        N_("The display is disturbed."),
        N_("Lead its wires away from the data wire; then add 4.7 kΩ from SDA and SCL to 3.3 V."),
    ),
    "sound-same": (
        N_("The piezo has an oscillator of its own."),
        N_("Take a passive one: it plays every pitch that it is given."),
    ),
    "sound-faint": (
        N_("That is a magnetic buzzer, not a piezo."),
        N_("Take a passive piezo disc, 20 to 35 mm wide."),
    ),
    "sound-none": (
        N_("The piezo is silent."),
        N_("Check its two wires, then piezo in config.toml or PIEZO in settings.py."),
    ),
}
TUNES: Final[Mapping[str, str]] = {
    "knock": N_("Two low knocks: somebody opens the betting or raises"),
    "chips": N_("Two short high beeps: other chips move"),
    "claim": N_("Four rising beeps: a claim"),
    "win": N_("Three rising notes: somebody wins the betting"),
    "out": N_("Two high notes and a lower one: somebody has played the last card"),
    "turn": N_("Two rising notes: in the betting, it is another player's turn"),
    "refused": N_("Two falling low notes: something is refused"),
    "end": N_("Four rising notes: the end of a night"),
    "volume": N_("One high note: the volume was changed"),
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
