"""The page's texts about nights that were: replays, statistics, downloads."""

from __future__ import annotations

from pochboard.text.translator import Text, Translator


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
            " another device."
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
        "replay.go_to_deal": t.gettext("Go to a deal"),
        "replay.start": t.gettext("Start"),
        "replay.after_start": t.gettext("the start"),
        "replay.deal": t.gettext("Deal {deal}"),
        "replay.mark_deal": t.pgettext("timeline", "deal"),
        "replay.mark_claim": t.pgettext("timeline", "pool won by cards"),
        "replay.mark_showdown": t.pgettext("timeline", "showdown"),
        "replay.mark_undo": t.pgettext("timeline", "taken back or restored"),
        "replay.copy": t.gettext("Copy a link to this entry"),
        "replay.copied": t.gettext("Copied"),
        "replay.copy_here": t.gettext("Copy it from here:"),
        "replay.link": t.gettext("The link to this entry"),
        "replay.follow": t.gettext("Show it on the board"),
        "replay.charts": t.gettext("Chips over the night"),
        "replay.stacks": t.gettext("Stacks"),
        "replay.pools": t.gettext("Pools"),
        "replay.chart_stacks": t.gettext("The stacks over the night; a table follows"),
        "replay.chart_pools": t.gettext("The pools over the night; a table follows"),
        "replay.table": t.gettext("The same as a table"),
        "replay.until": t.gettext("After"),
        "replay.standings": t.gettext("At the end"),
        "replay.space": t.gettext("Space"),
        "replay.home": t.gettext("Home"),
        "replay.end": t.gettext("End"),
        "replay.key_play": t.gettext("play or stop"),
        "replay.key_step": t.gettext("previous or next entry"),
        "replay.key_deal": t.gettext("previous or next deal"),
        "replay.key_ends": t.gettext("first or last entry"),
        "replay.key_help": t.gettext("this list"),
        "replay.keys_on": t.gettext("The keys [ ] and ? act"),
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
        "statistics.luck": t.gettext("Luck with the cards"),
        "statistics.luck_about": t.gettext(
            "The bar is what chance alone gives in 95 of 100 cases, the dot what was won."
        ),
        "statistics.heads": t.gettext("Who has won from whom"),
        "nights.more": t.gettext("Name, date, archive or delete"),
        "nights.name": t.gettext("Name of this night"),
        "nights.began": t.gettext("When it began (empty: as the clock said)"),
        "nights.save": t.gettext("Save"),
        "nights.archive": t.pgettext("button", "Archive"),
        "nights.unarchive": t.gettext("Take out of the archive"),
        "nights.archived": t.gettext("Archive ({count})"),
        "nights.delete": t.gettext("Delete from the list"),
        "nights.delete_sure": t.gettext(
            "Delete night {number} from the list and the statistics? It can be restored below."
        ),
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
        "statistics.separate": t.gettext("Separate"),
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
