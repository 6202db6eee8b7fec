"""The pages of a club: those of a table, over the nights of all boards.

A club has no table. An idle one stands in for it, with an empty ledger of its own: nobody can pair
with it, so nothing can be changed through the pages.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pochboard.backup.service import BackupService
from pochboard.club.archive import ClubArchive
from pochboard.club.keeper import Keeper
from pochboard.config import LEDGER, Config
from pochboard.rulesets.catalog import RulesetCatalog
from pochboard.rulesets.house_rules import HouseRules
from pochboard.server.server import Listening, Server
from pochboard.store import Store
from pochboard.table.archive import Archive, StoredArchive
from pochboard.table.records import BoardInfo, Setup
from pochboard.table.table import Table


@contextmanager
def club_server(config: Config, catalog: RulesetCatalog) -> Iterator[Server]:
    """Serves the club of the configuration, or the ledger of this machine if it names none.

    Raises ConfigError, LedgerError, ListenError.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pochboard-")))
        store = stack.enter_context(Store.open(folder / LEDGER))
        house_rules = HouseRules(catalog)
        idle = BoardInfo("pico", link=True, simulated=False)
        table = Table(store, Setup(resolve=house_rules.resolve), idle, lambda _: None)
        server = Server(
            table,
            house_rules=house_rules,
            backups=BackupService(store, folder, catalog.settings),
            design=config.design,
            archive=_archive(config, stack),
            at=Listening(
                host=config.host,
                port=config.port,
                names=config.names,
                prefix=config.prefix,
                trusted_proxies=config.trusted_proxies,
            ),
        )
        stack.callback(server.stop)
        server.bind()
        table.start()
        stack.callback(table.stop)
        stack.callback(server.stop)
        server.start()
        yield server


def _archive(config: Config, stack: ExitStack) -> Archive:
    if not config.club.url:
        store = Store.open(config.ledger, readonly=True)
        return StoredArchive(stack.enter_context(store))
    archive = ClubArchive(config.club)
    stack.callback(archive.close)
    archive.check()  # or say at once what is wrong
    keeper = Keeper(config.club)
    stack.callback(keeper.close)
    keeper.start()
    return archive
