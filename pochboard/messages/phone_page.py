"""The page's texts about phones: pairing, whose one is, what it does by itself, and building."""

from __future__ import annotations

from pochboard.messages.labels import brightness_names, setting_name, volume_names
from pochboard.text.translator import Text, Translator


def phone_texts(t: Translator) -> dict[str, Text]:
    """All of them by their names."""
    return {
        **_pairing(t),
        **_owner(t),
        **_device(t),
        **_build(t),
        **_first(t),
        **_clock(t),
    }


def _pairing(t: Translator) -> dict[str, Text]:
    return {
        "pairing.title": t.gettext("You are watching"),
        "pairing.watching": t.gettext(
            "This phone shows everything, but only a paired phone can play and make changes."
        ),
        "pairing.where": t.gettext("The button next is at the lower right of the board."),
        "pairing.code": t.gettext("Code"),
        "pairing.shown": t.gettext("A phone can be paired now. The code on the board is {code}."),
        "pairing.done": t.gettext("This phone is paired."),
        "pairing.pair": t.gettext("Pair"),
        "pairing.pair_left": t.gettext("Pair ({seconds} s)"),
        "phones.title": t.gettext("Paired phones"),
        "phones.another": t.gettext("Another phone"),
        "phones.wifi": t.gettext(
            "The board has opened a Wi-Fi of its own. The phone has to join it first: point its"
            " camera at this code, or type the password."
        ),
        "phones.wifi_name": t.gettext("Wi-Fi"),
        "phones.wifi_password": t.gettext("Password"),
        "phones.wifi_qr": t.gettext("QR code of the Wi-Fi {name}"),
        "phones.address": t.gettext("To watch, open"),
        "phones.named": t.gettext("Most phones also find the page at {url}."),
        "phones.qr": t.gettext("QR code of {url}"),
        "phones.only_here": t.gettext(
            "Only this machine can see the page. Phones in the house can, too, if pochboard runs"
            " with --lan."
        ),
        "phones.about": t.gettext(
            "To let it play, hold next on the board for {seconds} s. Then type the code of the"
            " rings on that phone."
        ),
        "phones.tv": t.gettext("The table for a large screen"),
        "phones.this": t.gettext("this phone"),
        "phones.used": t.gettext("paired {paired}, last used {used}"),
        "phones.name_of": t.gettext("Name of {label}"),
        "phones.rename": t.gettext("Name it"),
        "phones.revoke": t.gettext("Unpair"),
        "phones.revoke_of": t.gettext("Unpair {label}"),
        "phones.revoke_sure": t.gettext(
            "Unpair {label}? Until it is paired again, it can only watch."
        ),
        "phones.none": t.gettext(
            "No phone is paired. This page runs on the board’s own machine, which needs no pairing."
        ),
        "phones.done": t.gettext("Done"),
    }


def _owner(t: Translator) -> dict[str, Text]:
    """Whose phone it is."""
    return {
        "others.for": t.gettext("For {name}"),
        "others.some": t.gettext("For somebody else"),
        "others.back": t.gettext("Back to me"),
        "me.who": t.gettext("Who are you?"),
        "me.change": t.gettext("change"),
        "me.table": t.gettext("The table’s phone"),
        "me.phone": t.gettext("{name}’s phone"),
        "me.on_device": t.gettext("{phone} ({device})"),
    }


def _device(t: Translator) -> dict[str, Text]:
    """What a phone does by itself."""
    return {
        "nav.device": t.gettext("Sound, screen, light"),
        "device.turn": t.gettext("Sound and vibration when it is your turn"),
        "device.table": t.gettext("Sounds of the table: knocks, chips, refusals"),
        "device.announce": t.gettext("Read aloud what happens and whose turn it is"),
        "device.no_speech": t.gettext("This browser cannot read aloud."),
        "device.no_voice": t.gettext("This device has no voice for the language of this page."),
        "device.awake": t.gettext("Keep the screen on during a night"),
        "device.awake_insecure": t.gettext(
            "Browsers allow this only over HTTPS, which this page does not use. Let the phone’s own"
            " settings keep the screen on for longer."
        ),
        "device.awake_unknown": t.gettext("This browser cannot keep the screen on."),
        "device.keys": t.gettext("Letters and digits press the buttons of the simulated board"),
        "device.board": t.gettext("The board"),
        "device.brightness": setting_name("brightness", t),
        **{f"device.brightness_{name}": label for name, label in brightness_names(t).items()},
        "device.night": t.gettext("Night mode: half as bright"),
        "device.at_board": t.gettext(
            "At the board: hold “next” for {seconds} s and keep holding it. Each press of “undo” is"
            " the next step."
        ),
        "device.language": t.gettext("Language of the display"),
        "device.zone": t.gettext("Time zone"),
        "device.places": t.gettext("Places round the rim"),
        "device.places_soon": t.gettext("A new number of places takes effect at the next start."),
        "device.volume": setting_name("volume", t),
        **{f"device.volume_{name}": label for name, label in volume_names(t).items()},
        "device.at_board_sound": t.gettext(
            "At the board: hold “next” for {seconds} s and keep holding it. Press “undo” for the"
            " next step of the brightness, or hold it for the next step of the volume."
        ),
        "device.build": t.gettext("Test the board while you build it"),
        "device.done": t.gettext("Done"),
    }


def _build(t: Translator) -> dict[str, Text]:
    """The page of a board that is being built."""
    return {
        "build.title": t.gettext("First light"),
        "build.lead": t.gettext(
            "The board asks, one thing after the other. If something is wrong, it names the cause"
            " and what to do, and goes on from there."
        ),
        "build.picture": t.gettext("The board, with what has been tested so far"),
        "build.tap": t.gettext("Tap the part in the picture, or choose it:"),
        "build.begin": t.gettext("Begin"),
        "build.go_on": t.gettext("Go on"),
        "build.listening": t.gettext("Listening …"),
        "build.fixed": t.gettext("Done, test it again"),
        "build.all_again": t.gettext("Test everything again"),
        "build.all_right": t.gettext("Everything that is built is right."),
        "build.tunes": t.gettext("What the board plays"),
    }


def _first(t: Translator) -> dict[str, Text]:
    """The questions of the first start."""
    return {
        "first.title": t.gettext("Before the first night"),
        "first.language": t.gettext("Which language does the board speak?"),
        "first.places": t.gettext("How many places does it have?"),
        "first.colours": t.gettext("Do its lights show the right colours?"),
        "first.check": t.gettext("Check"),
        "first.later": t.gettext("Later"),
    }


def _clock(t: Translator) -> dict[str, Text]:
    """The question whether to use this phone's time."""
    return {
        "clock.title": t.gettext("The clock of the board"),
        "clock.ask": t.gettext(
            "No network has set the clock of this board; it shows {board}. Should new entries get"
            " this phone’s time ({phone}) instead?"
        ),
        "clock.use": t.gettext("Use this phone’s time"),
        "clock.not": t.gettext("Not now"),
    }
