"""The page's own texts, word for word, by name."""

from __future__ import annotations

from pochboard.messages.page import error_heading, language_name, page_texts
from pochboard.text.translator import ENGLISH

TEXTS = {
    "title": "Pochboard",
    "description": "The board of a night of Poch: chips, whose turn it is, and what happened.",
    "title.night": "A night – Pochboard",
    "title.nights": "Nights – Pochboard",
    "title.statistics": "Over the years – Pochboard",
    "nav.table": "The table",
    "nav.nights": "Nights",
    "nav.statistics": "Over the years",
    "nav.language": "Language",
    "nav.phones": "Phones",
    "noscript": "This page needs JavaScript to follow the board.",
    "start.title": "The page does not start",
    "start.reload": "Reload",
    "start.slow": "It has not started within 8 seconds. Check the Wi-Fi, then reload.",
    "start.old": "This browser is too old. The page needs Safari 15.4, Chrome 92, Firefox 98 or a"
    " newer one.",
    "start.error": "There was an error: {message}",
    "start.lost": "{address} does not load. Check the Wi-Fi, then reload.",
    "start.refused": "The board says: {message}",
    "start.status": "{address} was answered with {status}, perhaps by a proxy between this"
    " device and the board.",
    "start.forbidden": "{address} is refused ({status}). A proxy between this device and the board"
    " may have changed the Host header; it must pass it on.",
    "start.not_found": "{address} was not found ({status}). A proxy between this device and the"
    " board may have changed the path; the board must know the prefix.",
    "section.board": "The board",
    "section.display": "The board’s display",
    "section.cards": "The cards",
    "section.offer": "Computer players",
    "section.now": "What may happen now",
    "section.controls": "Controls",
    "section.seats": "Seats",
    "section.ledger": "The ledger",
    "connection.connecting": "connecting",
    "connection.live": "live",
    "connection.reconnecting": "reconnecting …",
    "connection.lost": "not live",
    "connection.stale": "Nothing heard from the board since {time}. Trying again…",
    "connection.no_link": "the board is not connected",
    "error.no_answer": "The board did not answer. Try again.",
    "error.uncertain": "The board did not answer. Look at the ledger before you try again.",
    "tap.early": "The table has just changed. Look, then tap again.",
    "error.refused": "The board refused this.",
    "error.press_refused": "The board refused this press.",
    "error.press_uncertain": (
        "The board took too long to answer. Check whether your press counted before you press"
        " again."
    ),
    "error.press_late": (
        "This press took too long to reach the board, so it does not count. Press again."
    ),
    "try_again": "Try again",
    "seats.title": "At the table",
    "seats.net": "won or lost so far",
    "ledger.title": "What happened",
    "ledger.all": "Show everything",
    "ledger.show": "Show the ledger of this night",
    "ledger.replay": "Replay this night entry by entry",
    "pairing.code": "Code",
    "pairing.shown": "A phone can be paired now. The code on the board is {code}.",
    "pairing.pair": "Pair",
    "pairing.pair_left": "Pair ({seconds} s)",
    "phones.title": "Paired phones",
    "phones.tv": "The table for a large screen",
    "tv.join": "Follow on your phone:",
    "phones.this": "this phone",
    "phones.used": "paired {paired}, last used {used}",
    "phones.revoke": "Unpair",
    "phones.none": (
        "No phone is paired. This page runs on the board’s own machine, which needs no pairing."
    ),
    "phones.done": "Done",
    "board.simulated": "Simulated board",
    "board.keys": "Keys",
    "board.keys_places": "places",
    "board.keys_hold": "Hold a key as you would hold the button.",
    "board.next": "next",
    "board.undo": "undo",
    "board.both": "Hold next + undo",
    "board.empty_place": "Place {place}: empty",
    "controls.more": "More",
    "turn.suit": "Suit",
    "stake.less": "one chip less",
    "stake.more": "one chip more",
    "count.pad": "Cards that {name} has left",
    "form.chips": "Chips",
    "form.name": "Name",
    "form.new_name": "New name",
    "form.place": "Place",
    "form.from": "From",
    "form.to": "To",
    "form.reason": "Reason",
    "form.reason_example": "counted again",
    "lobby.legend": "Begin a night",
    "lobby.players": "Who plays, and where",
    "lobby.name": "Name",
    "lobby.name_of": "Name of player {number}",
    "lobby.place_of": "Place of player {number}",
    "lobby.place": "place {place}",
    "lobby.player": "player {number}",
    "lobby.deals": "deals",
    "lobby.remove": "Remove {name}",
    "lobby.add": "Add a player",
    "lobby.draw": "Draw who deals first",
    "lobby.drawing": "Drawing…",
    "lobby.deals_first": "{name} deals first.",
    "lobby.first_player": "The first player",
    "lobby.rules": "Rules",
    "lobby.ruleset": "Ruleset",
    "lobby.stack": "Chips for each",
    "lobby.house_rules": "House rules",
    "lobby.house_rules_changed": "House rules ({count} changed)",
    "lobby.names_missing": "Every player needs a name. Remove those who do not play.",
    "lobby.number": "a number",
    "lobby.least": "fewest",
    "lobby.most": "most",
    "house.reset": "as in {ruleset}",
    "house.reset_of": "{label}: as in {ruleset}",
    "house.name": "Name of your own ruleset",
    "house.save": "Save as a house ruleset",
    "house.saved": "{name} is saved, and chosen for the next night.",
    "house.replace": "Replace {name}",
    "house.delete": "Delete {name}",
    "house.delete_sure": (
        "Delete the ruleset {name}? Nights that were played with it keep their rules."
    ),
    "nav.rules": "Rules",
    "rules.title": "How Poch is played",
    "rules.page": "How Poch is played – Pochboard",
    "rules.rulesets": "The rulesets, one page each",
    "rules.tonight": "The rules of this night",
    "rules.read": "Read the rules of {ruleset}",
    "rules.parameter": "Rule",
    "rules.now": "Here",
    "standings.player": "Player",
    "standings.chips": "Chips",
    "standings.net": "Net",
    "standings.replay": "Replay this night",
    "standings.seed": (
        "The cards came from the seed {seed}. To deal them again, run pochboard demo with --seed"
        " and the same players and rules."
    ),
    "offer.title": "Watch computer players",
    "offer.about": (
        "Computer players press the buttons of this board,"
        " and their cards are shown beside it. You can take over a seat at any time."
    ),
    "offer.legend": "Computer players",
    "offer.ruleset": "Ruleset",
    "offer.players": "Players",
    "offer.play": "Let them play",
    "bots.cards_coming": "Your cards are on their way.",
    "bots.stuck": "The computer players cannot continue: {reason}",
    "bots.reasons": "Why they bet as they did last deal",
    "bots.played_before": {
        "one": "Played before: {count} card",
        "other": "Played before: {count} cards",
    },
    "bots.dismiss": "Send them away",
    "bots.no_card": "no card is turned up",
    "bots.pack": "the pack",
    "bots.count": "Count",
    "bots.takes": "{name} takes it.",
    "bots.laid_by": "played by {name}",
    "bots.has_shown": "has shown",
    "bots.you": "you",
    "bots.awaited": "to act",
    "bots.person": "a person",
    "bots.take_over": "Take over",
    "bots.take_over_seat": "Take over the seat of {name}",
    "bots.give_back": "Let the computer play",
    "bots.give_back_seat": "Let the computer play for {name}",
    "bots.give_back_own": "Let the computer play again",
    "bots.speed": "Speed",
    "bots.speed_now": "now {speed}×",
    "bots.hand": "Your hand",
    "bots.cards": {"one": "{count} card", "other": "{count} cards"},
    "referee.unpaired": "A paired phone can book this.",
    "referee.trump": "Trump",
    "referee.who": "Who shows",
    "referee.cards": "Cards",
    "referee.nothing_yet": "nothing yet",
    "referee.turned": "turned up",
    "referee.with": "with {name}",
    "referee.no_card": "No card has been tapped yet.",
    "referee.close": "Close",
    "nights.title": "Nights",
    "nights.listed": "Nights ({count})",
    "nights.none": "No night has been played yet.",
    "nights.to_table": "To the table",
    "nights.replay": "Replay",
    "nights.sheet": "Score sheet",
    "backup.title": "Backup",
    "backup.about": (
        "A backup contains all nights, the configuration and your own rulesets. Keep it on"
        " another device."
    ),
    "backup.download": "Download a backup",
    "backup.restore": "Restore a backup",
    "backup.checking": "Checking the backup…",
    "backup.ready": {
        "one": (
            "The backup with {count} night is intact. To restore it, switch the board and its"
            " computer off and on again. The current ledger is kept too. Afterwards, phones have to"
            " be paired again."
        ),
        "other": (
            "The backup with {count} nights is intact. To restore it, switch the board and its"
            " computer off and on again. The current ledger is kept too. Afterwards, phones have to"
            " be paired again."
        ),
    },
    "replay.title": "Entry",
    "replay.entry": "Entry {number} of {total} · {time}",
    "replay.entry_says": "Entry {number} of {total}, {time}: {sentence}",
    "replay.moves": "Who paid whom",
    "replay.first": "First entry",
    "replay.previous_deal": "Previous deal",
    "replay.previous": "Previous entry",
    "replay.play": "Play",
    "replay.stop": "Stop",
    "replay.next": "Next entry",
    "replay.next_deal": "Next deal",
    "replay.last": "Last entry",
    "replay.speed": "Speed",
    "replay.go_to_deal": "Go to a deal",
    "replay.start": "Start",
    "replay.deal": "Deal {deal}",
    "replay.mark_deal": "deal",
    "replay.mark_claim": "pool won by cards",
    "replay.mark_showdown": "showdown",
    "replay.mark_undo": "taken back or restored",
    "replay.copy": "Copy a link to this entry",
    "replay.copied": "Copied",
    "replay.copy_here": "Copy it from here:",
    "replay.link": "The link to this entry",
    "replay.follow": "Show it on the board",
    "replay.charts": "Chips over the night",
    "replay.stacks": "Stacks",
    "replay.pools": "Pools",
    "replay.chart_stacks": "The stacks over the night; a table follows",
    "replay.chart_pools": "The pools over the night; a table follows",
    "replay.table": "The same as a table",
    "replay.until": "At the end of",
    "replay.standings": "At the end",
    "replay.space": "Space",
    "replay.home": "Home",
    "replay.end": "End",
    "replay.key_play": "play or stop",
    "replay.key_step": "previous or next entry",
    "replay.key_deal": "previous or next deal",
    "replay.key_ends": "first or last entry",
    "replay.key_help": "this list",
    "settle.title": "Settling up",
    "settle.worth": "A chip is worth",
    "settle.worth_example": "An amount, such as 0.05",
    "settle.currency": "Currency",
    "settle.way": "Who pays whom",
    "settle.fewest": "Fewest payments",
    "settle.pairwise": "Every pair separately",
    "settle.bank": "What the bank has won or lost",
    "settle.shared": "Share the bank’s chips",
    "settle.kept": "The bank pays and is paid",
    "settle.chips": "Won or lost",
    "settle.amount": "To settle",
    "statistics.title": "Over the years",
    "statistics.counting": {
        "one": "{count} more night is being counted …",
        "other": "{count} more nights are being counted …",
    },
    "statistics.span": "{from} – {to}",
    "statistics.courses": "Nets from night to night",
    "statistics.person": "Person",
    "statistics.nights": "Nights",
    "statistics.won": "Won",
    "statistics.pool": "Pool",
    "statistics.chips": "Chips",
    "statistics.times": "Times won",
    "statistics.expected": "Expected by the cards",
    "statistics.luck": "Luck with the cards",
    "statistics.luck_about": (
        "The bar is what chance alone gives in 95 of 100 cases, the dot what was won."
    ),
    "statistics.heads": "Who has won from whom",
    "nights.more": "Name, date, archive or delete",
    "clock.title": "The clock of the board",
    "clock.ask": (
        "No network has set the clock of this board; it shows {board}. Should new entries get this"
        " phone’s time ({phone}) instead?"
    ),
    "clock.use": "Use this phone’s time",
    "clock.not": "Not now",
    "nights.name": "Name of this night",
    "nights.began": "When it began (empty: as the clock said)",
    "nights.save": "Save",
    "nights.archive": "Archive",
    "nights.unarchive": "Take out of the archive",
    "nights.archived": "Archive ({count})",
    "nights.delete": "Delete from the list",
    "nights.delete_sure": (
        "Delete night {number} from the list and the statistics? The ledger keeps its entries,"
        " and it can be restored below."
    ),
    "nights.bots": "Nights of computer players ({count})",
    "nights.count": "Count this night",
    "nights.deleted": "Deleted nights ({count})",
    "nights.restore_night": "Restore",
    "cancel": "Cancel",
    "statistics.merge": "Two names, one person",
    "statistics.merge_about": (
        "If a person was written in two ways, or wants another name, say so here. The ledger"
        " keeps the names as they were."
    ),
    "statistics.merge_name": "The name",
    "statistics.merge_called": "is",
    "statistics.merge_save": "Use this name",
    "records.night": "{night} · {date}",
    "records.title": "The night in numbers",
    "records.print": "Print this night",
    "records.share": "Share a picture",
    "downloads.title": "Download this night",
    "downloads.bgstats": "Send to BG Stats",
    "downloads.bgstats_about": (
        "BG Stats is an app that records board games. The link passes names and results to"
        " bgstatsapp.com; nothing is sent before you tap it."
    ),
    "cards.back": "a card, face down",
    "cards.noted": "{card}, {note}",
    "cards.suits": "Suits",
    "cards.french": "French",
    "cards.german": "German",
    "cards.french_suits": "French suits",
    "cards.german_suits": "German suits",
    "title.now": "{what} – Pochboard",
    "me.who": "Who are you?",
    "me.own": "Your chips",
    "me.table": "The table’s phone",
    "nav.device": "Sound, screen, light",
    "device.turn": "Sound and vibration when it is your turn",
    "device.table": "Sounds of the table: knocks, chips, refusals",
    "device.announce": "Read aloud what is booked and what comes next",
    "device.no_speech": "This browser cannot read aloud.",
    "device.no_voice": "This device has no voice for the language of this page.",
    "device.awake": "Keep the screen on during a night",
    "device.awake_insecure": (
        "Browsers allow this only over HTTPS, which this page does not use. Let the phone’s own"
        " settings keep the screen on for longer."
    ),
    "device.awake_unknown": "This browser cannot keep the screen on.",
    "device.keys": "Letters and digits press the buttons of the simulated board",
    "device.board": "The board",
    "device.brightness": "Brightness",
    "device.brightness_bright": "Bright",
    "device.brightness_medium": "Medium",
    "device.brightness_dim": "Dim",
    "device.night": "Night mode: half as bright",
    "device.follows_room": "Dimmer in a dark room",
    "device.at_board": (
        "At the board: hold “next” for {seconds} s and keep holding it. Each press of “undo” is the"
        " next step."
    ),
    "device.volume": "Volume",
    "device.volume_loud": "Loud",
    "device.volume_medium": "Medium",
    "device.volume_quiet": "Quiet",
    "device.volume_silent": "Silent",
    "device.at_board_sound": (
        "At the board: hold “next” for {seconds} s and keep holding it. Press “undo” for the next"
        " step of the brightness, or hold it for the next step of the volume."
    ),
    "device.done": "Done",
    "nav.skip": "Skip the board",
    "board.fold": "Hide the board",
    "board.unfold": "Show the board",
    "pairing.title": "You are watching",
    "pairing.watching": (
        "This phone shows everything, but only a paired phone can play and make changes."
    ),
    "pairing.where": "The button next is at the lower right of the board.",
    "phones.another": "Another phone",
    "phones.wifi": (
        "The board has opened a Wi-Fi of its own. The phone has to join it first: point its camera"
        " at this code, or type the password."
    ),
    "phones.wifi_name": "Wi-Fi",
    "phones.wifi_password": "Password",
    "phones.wifi_qr": "QR code of the Wi-Fi {name}",
    "phones.address": "It can watch at",
    "phones.named": "Most phones also find the page at {url}.",
    "phones.qr": "QR code of {url}",
    "phones.only_here": (
        "Only this machine can see the page. Phones in the house can, too, if pochboard runs"
        " with --lan."
    ),
    "phones.about": (
        "To let it play, hold next on the board for {seconds} s. Then type the code of the"
        " rings on that phone."
    ),
    "phones.name_of": "Name of {label}",
    "phones.rename": "Name it",
    "phones.revoke_of": "Unpair {label}",
    "phones.revoke_sure": "Unpair {label}? Until it is paired again, it can only watch.",
    "claim.seat_first": "Tap first who takes a pool.",
    "count.missing": "Enter the cards of every seat first.",
    "count.most": {
        "one": "{name} was dealt {count} card.",
        "other": "{name} was dealt {count} cards.",
    },
    "bots.your_name": "Your name",
    "bots.name_me": "Put it on the board",
    "section.accounts": "Chips on the table",
    "account.title": {"one": "{name}: {count} chip", "other": "{name}: {count} chips"},
    "account.why": "Why so many",
    "account.nothing": "Nothing has come in yet.",
    "recount.counted": "Chips counted",
    "recount.book": "Record the difference",
    "recount.suspects": (
        "If the numbers differ, the error is in one of the marked entries: they came after"
        " the last recount."
    ),
}
FRENCH = {
    "AS": "ace of spades",
    "KH": "king of hearts",
    "QD": "queen of diamonds",
    "JC": "jack of clubs",
    "TH": "10 of hearts",
    "7S": "7 of spades",
    "C": "clubs",
    "D": "diamonds",
    "H": "hearts",
    "S": "spades",
}
GERMAN = {
    "AS": "Grün-Daus",
    "KH": "Rot-König",
    "QD": "Schellen-Ober",
    "JC": "Eichel-Unter",
    "TH": "Rot-10",
    "7S": "Grün-7",
    "C": "Eichel",
    "D": "Schellen",
    "H": "Rot",
    "S": "Grün",
}


def test_the_texts_of_the_page() -> None:
    texts = page_texts(ENGLISH)
    assert {name: text for name, text in texts.items() if not name.startswith("card.")} == TEXTS


def test_cards_and_suits_are_called_by_their_pattern() -> None:
    texts = page_texts(ENGLISH)
    for pattern, names in (("french", FRENCH), ("german", GERMAN)):
        found = {name for name in texts if name.startswith(f"card.{pattern}.")}
        assert len(found) == 52 + 4
        assert {card: texts[f"card.{pattern}.{card}"] for card in names} == names


def test_the_heading_of_an_error_is_the_name_of_its_status() -> None:
    named = {
        400: "Bad Request",
        401: "Unauthorized",
        403: "Forbidden",
        404: "Not Found",
        405: "Method Not Allowed",
        421: "Misdirected Request",
        429: "Too Many Requests",
        500: "Internal Server Error",
        503: "Service Unavailable",
        418: "I'm a Teapot",
    }
    assert {status: error_heading(status, ENGLISH) for status in named} == named


def test_a_language_has_a_name_of_its_own() -> None:
    assert language_name(ENGLISH) == "English"
    assert page_texts(ENGLISH)["nav.language"] == "Language"
