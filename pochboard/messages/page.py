"""The page's own texts: headings, labels of forms, hints, and the state of the connection.

Everything about the night itself comes with the state. A text with `{places}` is filled by the
page; one with two forms is chosen by `{count}`.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from pochboard.cards.card import CARDS
from pochboard.messages.labels import brightness_names, setting_name, volume_names
from pochboard.rules.commands import RANKS, SUITS
from pochboard.text.names import CardNaming, card_name, card_names, rank_sign, suit_name
from pochboard.text.translator import N_, Text, Translator


def page_texts(t: Translator) -> dict[str, Text]:
    """All texts of the page by their names."""
    return {
        **_frame(t),
        **_screen(t),
        **_board(t),
        **_controls(t),
        **_accounts(t),
        **_corrections(t),
        **_lobby(t),
        **_rules(t),
        **_bots(t),
        **_referee(t),
        **phone_texts(t),
        **nights_texts(t),
        **_cards(t),
    }


_ERRORS: Final = {
    400: N_("Bad Request"),
    401: N_("Unauthorized"),
    403: N_("Forbidden"),
    404: N_("Not Found"),
    405: N_("Method Not Allowed"),
    421: N_("Misdirected Request"),
    429: N_("Too Many Requests"),
    500: N_("Internal Server Error"),
    503: N_("Service Unavailable"),
}


def error_heading(status: int, t: Translator) -> str:
    """The heading of the page for an HTTP status; rare ones have only their English name."""
    return t.gettext(_ERRORS[status]) if status in _ERRORS else HTTPStatus(status).phrase


def language_name(t: Translator) -> str:
    """What a language calls itself."""
    return t.pgettext("name of this language", "English")


def _frame(t: Translator) -> dict[str, Text]:
    """The page's frame, and what it says about the connection."""
    return {
        "title": t.gettext("Pochboard"),
        "description": t.gettext(
            "The board of a night of Poch: chips, whose turn it is, and what happened."
        ),
        "title.now": t.gettext("{what} – Pochboard"),
        "title.night": t.gettext("A night – Pochboard"),
        "title.nights": t.gettext("Nights – Pochboard"),
        "title.statistics": t.gettext("Over the years – Pochboard"),
        "nav.table": t.gettext("The table"),
        "nav.nights": t.gettext("Nights"),
        "nav.statistics": t.gettext("Over the years"),
        "nav.rules": t.gettext("Rules"),
        "nav.skip": t.gettext("Skip the board"),
        "nav.menu": t.gettext("More"),
        "nav.language": t.gettext("Language"),
        "nav.phones": t.gettext("Phones"),
        "noscript": t.gettext("This page needs JavaScript to follow the board."),
        "start.title": t.gettext("The page is incomplete"),
        "start.why": t.gettext("Something does not load or run here:"),
        "start.hint": t.gettext(
            "Check the Wi-Fi. The page needs Safari 15.4, Chrome 92, Firefox 98 or a newer browser."
        ),
        "section.board": t.gettext("The board"),
        "section.cards": t.gettext("The cards"),
        "section.result": t.gettext("Who has won"),
        "section.controls": t.gettext("Controls"),
        "section.seats": t.gettext("Seats"),
        "section.ledger": t.gettext("What happened"),
        "connection.connecting": t.gettext("connecting"),
        "connection.live": t.gettext("live"),
        "connection.reconnecting": t.gettext("reconnecting …"),
        "connection.lost": t.gettext("not live"),
        "connection.stale": t.gettext("Nothing heard from the board since {time}. Trying again…"),
        "connection.no_link": t.gettext("the board is not connected"),
        "error.no_answer": t.gettext("The board did not answer. Try again."),
        "error.uncertain": t.gettext(
            "The board did not answer. See whether it counted before you try again."
        ),
        "tap.early": t.gettext("The table has just changed. Look, then tap again."),
        "error.refused": t.gettext("The board refused this."),
        "error.press_refused": t.gettext("The board refused this press."),
        "error.press_late": t.gettext(
            "This press took too long to reach the board, so it does not count. Press again."
        ),
        "error.press_uncertain": t.gettext(
            "The board took too long to answer. Check whether your press counted before you press"
            " again."
        ),
        "try_again": t.gettext("Try again"),
        "seats.title": t.gettext("At the table"),
        "seats.net": t.gettext("won or lost so far"),
        "ledger.title": t.gettext("What happened"),
        "ledger.all": t.gettext("Show everything"),
        "ledger.show": t.gettext("Show all of this night"),
        "ledger.replay": t.gettext("Replay this night entry by entry"),
        "ledger.correct": t.gettext("Correct or add …"),
    }


def _screen(t: Translator) -> dict[str, Text]:
    """The table for a large screen."""
    return {
        "tv.reveal": t.gettext("And the winner is …"),
        "tv.turn": t.gettext("{name}’s turn"),
        "tv.pot": t.gettext("in the pot"),
        "tv.need": t.gettext("to stay in"),
        "tv.chips": t.forms("{count} chip", "{count} chips"),
        "tv.join": t.gettext("Follow on your phone:"),
    }


def _board(t: Translator) -> dict[str, Text]:
    return {
        "board.label": t.gettext("The board: {pools}."),
        "board.views": t.gettext("What is shown"),
        "board.view_table": t.gettext("Table"),
        "board.view_board": t.gettext("Board"),
        "board.next": t.gettext("next"),
        "board.undo": t.gettext("undo"),
        "board.empty_place": t.gettext("Place {place}: empty"),
        "board.dealer_mark": t.pgettext("the dealer's mark on the board", "D"),
    }


def _controls(t: Translator) -> dict[str, Text]:
    return {
        "turn.ask": t.gettext("Which suit is trumps?"),
        "turn.facts": t.gettext("It lies open on the table. Anybody may tap it."),
        "turn.later": t.gettext("Not now"),
        "trump": t.gettext("Trumps"),
        "stake.less": t.gettext("one chip less"),
        "stake.more": t.gettext("one chip more"),
        "meld.own": t.gettext("Do you hold one of these?"),
        "meld.show": t.gettext("Show the card, then tap it here."),
        "meld.of": t.gettext("What does {name} show?"),
        "meld.tap": t.gettext("Tap the name first, then the card."),
        "claim.seat_first": t.gettext("Tap first who shows the card."),
        "bet.pot": t.gettext("{chips} in the pot"),
        "showdown.tie": t.gettext("Equally good"),
        "showdown.nobody": t.gettext("Nobody has a set"),
        "showdown.open": t.gettext("Somebody else’s hand still decides a pot. Tap that name too."),
        "play.own": t.gettext("Tap here when you have played your last card."),
        "play.tap": t.gettext("Tap the name of whoever plays their last card."),
        "play.tap_run": t.gettext("Tap who has played the last card of a run, or of the hand."),
        "play.of": t.gettext("What has {name} played?"),
        "play.run": t.gettext("Who ended the last run?"),
        "play.go": t.gettext("The last card of a run"),
        "play.out": t.gettext("The last card!"),
        "count.of": t.gettext("How many cards does {name} have left?"),
        "count.pays": t.gettext("{name} gets a chip for each card left."),
        "count.more": t.gettext("another number"),
        "count.most": t.forms("{name} was dealt {count} card.", "{name} was dealt {count} cards."),
        "count.pad": t.gettext("Cards that {name} has left"),
        "form.chips": t.gettext("Chips"),
        "form.name": t.gettext("Name"),
        "form.new_name": t.gettext("New name"),
        "form.place": t.gettext("Place"),
    }


def _accounts(t: Translator) -> dict[str, Text]:
    """What wins a pool, why it holds what it holds, and the recount."""
    return {
        "account.title": t.forms("{name}: {count} chip", "{name}: {count} chips"),
        "account.why": t.gettext("Why so many"),
        "account.nothing": t.gettext("Nothing has come in yet."),
        "recount.counted": t.gettext("Chips counted"),
        "recount.against": t.gettext("The difference is with"),
        "recount.record": t.gettext("Record the difference"),
        "recount.suspects": t.gettext(
            "If the numbers differ, the error is in one of the marked entries: they came after the"
            " last recount."
        ),
    }


def _corrections(t: Translator) -> dict[str, Text]:
    """The dialog that corrects an entry."""
    return {
        "correct.title": t.gettext("Correct entry {number}"),
        "correct.what": t.gettext("What was wrong?"),
        "correct.insert": t.gettext("Add what was forgotten: {what}"),
        "correct.preview": t.gettext("Show what changes"),
        "correct.leave_out": t.gettext("Leave this entry out"),
        "correct.ranking": t.gettext(
            "1 is the best hand; equal numbers tie. Leave empty what was not shown."
        ),
        "correct.says": t.gettext("It will say: {sentence}"),
        "correct.left_out": t.gettext("The entry is left out."),
        "correct.again": t.forms(
            "{count} later entry is recorded again.", "{count} later entries are recorded again."
        ),
        "correct.nothing": t.gettext("No chips move."),
        "correct.account": t.gettext("Pool or stack"),
        "correct.before": t.gettext("Before"),
        "correct.after": t.pgettext("chips", "After"),
        "correct.standings": t.gettext("Standings afterwards"),
        "correct.record": t.gettext("Correct"),
    }


def _lobby(t: Translator) -> dict[str, Text]:
    return {
        "lobby.again": t.gettext("Another round"),
        "lobby.otherwise": t.gettext("Other players or rules"),
        "lobby.learn": t.gettext("Learn Poch"),
        "lobby.legend": t.gettext("Begin a night"),
        "lobby.players": t.gettext("Who plays, and where"),
        "lobby.name": t.gettext("Name"),
        "lobby.name_of": t.gettext("Name of player {number}"),
        "lobby.place_of": t.gettext("Place of player {number}"),
        "lobby.player": t.gettext("player {number}"),
        "lobby.deals": t.gettext("deals"),
        "lobby.remove": t.gettext("Remove {name}"),
        "lobby.add": t.gettext("Add a player"),
        "lobby.earlier": t.gettext("Names of earlier nights"),
        "lobby.draw": t.gettext("Draw who deals first"),
        "lobby.deals_first": t.gettext("{name} deals first."),
        "lobby.first_player": t.gettext("The first player"),
        "lobby.rules": t.gettext("Rules"),
        "lobby.ruleset": t.gettext("Ruleset"),
        "lobby.stack": t.gettext("Chips for each"),
        "lobby.house_rules": t.gettext("House rules"),
        "lobby.house_rules_changed": t.gettext("House rules ({count} changed)"),
        "lobby.names_missing": t.gettext(
            "Every player needs a name. Remove those who do not play."
        ),
        "house.all": t.gettext("All rules"),
        "house.reset": t.gettext("as in “{ruleset}”"),
        "house.reset_of": t.gettext("{label}: as in “{ruleset}”"),
        "house.name": t.gettext("Name of your own ruleset"),
        "house.save": t.gettext("Save as a house ruleset"),
        "house.saved": t.gettext("{name} is saved, and chosen for the next night."),
        "house.replace": t.gettext("Replace {name}"),
        "house.delete": t.gettext("Delete {name}"),
        "house.delete_sure": t.gettext(
            "Delete the ruleset {name}? Nights that were played with it keep their rules."
        ),
        "lobby.number": t.gettext("a number"),
        "lobby.least": t.gettext("fewest"),
        "lobby.most": t.gettext("most"),
        "standings.player": t.gettext("Player"),
        "standings.chips": t.gettext("Chips"),
        "standings.net": t.gettext("Net"),
        "standings.replay": t.gettext("Replay this night"),
        "standings.seed": t.gettext("The cards came from the seed {seed}."),
    }


def _rules(t: Translator) -> dict[str, Text]:
    return {
        "rules.title": t.gettext("How Poch is played"),
        "rules.page": t.gettext("How Poch is played – Pochboard"),
        "rules.rulesets": t.gettext("The rulesets, one page each"),
        "rules.tonight": t.gettext("The rules of this night"),
        "rules.read": t.gettext("Read the rules: {ruleset}"),
        "rules.parameter": t.gettext("Rule"),
        "rules.now": t.gettext("Here"),
    }


def _bots(t: Translator) -> dict[str, Text]:
    return {
        "offer.title": t.gettext("Watch computer players"),
        "offer.about": t.gettext(
            "Computer players press the buttons of this board, and their cards are shown beside"
            " it. You can take over a seat."
        ),
        "offer.legend": t.gettext("Computer players"),
        "offer.play": t.gettext("Let them play"),
        "elsewhere.practice": t.gettext("Somebody is learning Poch on another phone"),
        "elsewhere.bots": t.gettext("Computer players play for another phone"),
        "elsewhere.watch": t.gettext("Watch"),
        "elsewhere.stop": t.gettext("Send them away"),
        "practice.label": t.gettext("Practice"),
        "practice.stage": t.gettext("Step {stage} of {stages}"),
        "practice.leave": t.gettext("Leave the practice"),
        "bots.cards_coming": t.gettext("Your cards are on their way."),
        "bots.stuck": t.gettext("The computer players cannot continue: {reason}"),
        "bots.played_before": t.forms(
            "Played before: {count} card", "Played before: {count} cards"
        ),
        "bots.dismiss": t.gettext("Send them away"),
        "bots.no_card": t.gettext("no card is turned up"),
        "bots.pack": t.gettext("the pack"),
        "bots.count": t.gettext("Count"),
        "bots.takes": t.gettext("{name} takes it."),
        "bots.laid_by": t.gettext("played by {name}"),
        "bots.has_shown": t.gettext("has shown"),
        "bots.your_name": t.gettext("Your name"),
        "bots.name_me": t.gettext("Put it on the board"),
        "bots.you": t.gettext("you"),
        "bots.awaited": t.gettext("to act"),
        "bots.person": t.gettext("a person"),
        "bots.take_over": t.gettext("Take over"),
        "bots.take_over_seat": t.gettext("Take over the seat of {name}"),
        "bots.give_back": t.gettext("Let the computer play"),
        "bots.give_back_seat": t.gettext("Let the computer play for {name}"),
        "bots.give_back_own": t.gettext("Let the computer play again"),
        "bots.speed": t.gettext("Speed"),
        "bots.speed_now": t.gettext("now {speed}×"),
        "bots.hand": t.gettext("Your hand"),
        "bots.cards": t.forms("{count} card", "{count} cards"),
    }


def _referee(t: Translator) -> dict[str, Text]:
    return {
        "referee.unpaired": t.gettext("A paired phone can record this."),
        "referee.trump": t.gettext("Trump"),
        "referee.who": t.gettext("Who shows"),
        "referee.cards": t.gettext("Cards"),
        "referee.nothing_yet": t.gettext("nothing yet"),
        "referee.turned": t.gettext("turned up"),
        "referee.with": t.gettext("with {name}"),
        "referee.no_card": t.gettext("No card has been tapped yet."),
        "referee.close": t.gettext("Close"),
    }


def _cards(t: Translator) -> dict[str, Text]:
    return {
        "cards.back": t.gettext("a card, face down"),
        "cards.noted": t.gettext("{card}, {note}"),
        "cards.suits": t.gettext("Suits"),
        "cards.french": t.gettext("French"),
        "cards.german": t.gettext("German"),
        **_card_names("french", card_names(t)),
        **_card_names("german", "german"),
    }


def _card_names(pattern: str, names: CardNaming) -> dict[str, Text]:
    """The names of cards and suits, and what is in their corners, as a pattern shows them."""
    return {
        **{f"card.{pattern}.{card}": card_name(card, names) for card in CARDS},
        **{f"suit.{pattern}.{suit}": suit_name(suit, names) for suit in SUITS},
        **{f"rank.{pattern}.{rank}": rank_sign(rank, names) for rank in RANKS},
    }


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
        "phones.rename": t.gettext("Rename"),
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
        "others.some": t.gettext("For others"),
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


def nights_texts(t: Translator) -> dict[str, Text]:
    """All of them by their names."""
    return {
        **_nights(t),
        **_replay(t),
        **_afterwards(t),
    }


def _nights(t: Translator) -> dict[str, Text]:
    return {
        "nights.title": t.gettext("Nights"),
        "nights.listed": t.gettext("Nights ({count})"),
        "nights.none": t.gettext("No night has been played yet."),
        "nights.none_arrived": t.gettext("No night has arrived yet."),
        "nights.to_table": t.gettext("To the table"),
        "nights.replay": t.gettext("Replay"),
        "nights.sheet": t.gettext("Score sheet"),
        "backup.title": t.gettext("Backup"),
        "backup.about": t.gettext(
            "A backup contains all nights, the configuration and your own rulesets. Keep it on"
            " another device. If it is larger than 4 MiB, restore it on the board’s own computer."
        ),
        "backup.download": t.gettext("Download a backup"),
        "backup.restore": t.gettext("Restore a backup"),
        "backup.checking": t.gettext("Checking the backup…"),
        "backup.ready": t.forms(
            "The backup with {count} night is intact. To restore it, switch the board and its"
            " computer off and on again. The nights of now are set aside, not deleted."
            " Afterwards, phones have to be paired again.",
            "The backup with {count} nights is intact. To restore it, switch the board and its"
            " computer off and on again. The nights of now are set aside, not deleted."
            " Afterwards, phones have to be paired again.",
        ),
    }


def _replay(t: Translator) -> dict[str, Text]:
    return {
        "replay.title": t.gettext("Entry"),
        "replay.entry": t.gettext("Entry {number} of {total} · {time}"),
        "replay.entry_says": t.gettext("Entry {number} of {total}, {time}: {sentence}"),
        "replay.moves": t.gettext("Who paid whom"),
        "replay.first": t.gettext("First entry"),
        "replay.previous_deal": t.gettext("Previous deal"),
        "replay.previous": t.gettext("Previous entry"),
        "replay.play": t.gettext("Play"),
        "replay.stop": t.gettext("Stop"),
        "replay.next": t.gettext("Next entry"),
        "replay.next_deal": t.gettext("Next deal"),
        "replay.last": t.gettext("Last entry"),
        "replay.speed": t.gettext("Speed"),
        "replay.after_start": t.gettext("the start"),
        "replay.deal": t.gettext("Deal {deal}"),
        "replay.mark_deal": t.pgettext("timeline", "deal"),
        "replay.mark_claim": t.pgettext("timeline", "pool won by cards"),
        "replay.mark_showdown": t.pgettext("timeline", "showdown"),
        "replay.mark_undo": t.pgettext("timeline", "taken back or restored"),
        "replay.charts": t.gettext("Chips over the night"),
        "replay.stacks": t.gettext("Stacks"),
        "replay.chart_stacks": t.gettext("The stacks over the night; a table follows"),
        "replay.table": t.gettext("The same as a table"),
        "replay.until": t.gettext("After"),
        "replay.standings": t.gettext("At the end"),
    }


def _afterwards(t: Translator) -> dict[str, Text]:
    return {
        "settle.title": t.gettext("Settling up"),
        "settle.worth": t.gettext("A chip is worth"),
        "settle.worth_example": t.gettext("An amount, such as 0.05"),
        "settle.currency": t.gettext("Currency"),
        "settle.way": t.gettext("Who pays whom"),
        "settle.fewest": t.gettext("Fewest payments"),
        "settle.pairwise": t.gettext("Every pair separately"),
        "settle.bank": t.gettext("What the bank has won or lost"),
        "settle.shared": t.gettext("Share the bank’s chips"),
        "settle.kept": t.gettext("The bank pays and is paid"),
        "statistics.title": t.gettext("Over the years"),
        "statistics.year": t.gettext("Year"),
        "statistics.all": t.gettext("All years"),
        "statistics.counting": t.forms(
            "{count} more night is being counted …", "{count} more nights are being counted …"
        ),
        "statistics.span": t.gettext("{from} – {to}"),
        "statistics.courses": t.gettext("Nets from night to night"),
        "statistics.person": t.gettext("Person"),
        "statistics.nights": t.gettext("Nights"),
        "statistics.won": t.gettext("Won"),
        "statistics.pool": t.gettext("Pool"),
        "statistics.chips": t.gettext("Chips"),
        "statistics.times": t.gettext("Times won"),
        "statistics.expected": t.gettext("Expected by the cards"),
        "statistics.heads": t.gettext("Who has won from whom"),
        "nights.more": t.gettext("Name, date or delete"),
        "nights.name": t.gettext("Name of this night"),
        "nights.began": t.gettext("When it began (empty: as the clock said)"),
        "nights.save": t.gettext("Save"),
        "nights.delete": t.gettext("Delete from the list"),
        "nights.bots": t.gettext("Nights of computer players ({count})"),
        "nights.count": t.gettext("Count this night"),
        "nights.deleted": t.gettext("Deleted nights ({count})"),
        "nights.restore_night": t.gettext("Restore"),
        "cancel": t.gettext("Cancel"),
        "statistics.merge": t.gettext("Two names, one person"),
        "statistics.merge_about": t.gettext(
            "If somebody was written in two ways, or wants another name, say so here. You can"
            " take it back."
        ),
        "statistics.merged": t.gettext("{name} counts as {called}."),
        "statistics.separate": t.gettext("Separate"),
        "statistics.separate_names": t.gettext("Separate {name} from {called}"),
        "statistics.merge_name": t.gettext("The name"),
        "statistics.merge_called": t.gettext("counts as"),
        "statistics.merge_save": t.gettext("Merge"),
        "awards.title": t.gettext("The awards of the night"),
        "records.night": t.gettext("{night} · {date}"),
        "records.title": t.gettext("The night in numbers"),
        "records.print": t.gettext("Print this night"),
        "records.award": t.gettext("{title}: {name}"),
        "records.share": t.gettext("Share a picture"),
        "downloads.title": t.gettext("Download this night"),
        "downloads.bgstats": t.gettext("Send to BG Stats"),
        "downloads.bgstats_about": t.gettext(
            "BG Stats is an app that records board games. The link passes names and results to"
            " bgstatsapp.com; nothing is sent before you tap it."
        ),
    }
