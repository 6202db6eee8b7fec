"""`pochboard mqtt`."""

from __future__ import annotations

from pathlib import Path

import click

from pochboard.cli.common import folders, read_config
from pochboard.cli.usage import Group, say
from pochboard.errors import ConfigError, LedgerInUseError


@click.group(cls=Group, short_help="What an MQTT broker knows of this board.")
def mqtt() -> None:
    """Look after what the MQTT broker of the home knows of this board."""


@mqtt.command()
@folders
def remove(data: Path | None, settings: Path | None) -> None:
    """Remove the board from the broker, and so from Home Assistant.

    Stop the daemon first, and empty mqtt.host in the configuration afterwards: a daemon that runs
    with it adds the board again.
    """
    from pochboard.mqtt.connection import MqttTable
    from pochboard.mqtt.publisher import remove as remove_board
    from pochboard.runtime.lock import find_daemon
    from pochboard.store import Store

    config = read_config(settings, data)
    broker = config.part(MqttTable)
    if not broker.host:
        raise ConfigError("mqtt.host is empty, so there is no broker. Give it with --config.")
    if find_daemon(config.data) is not None:
        raise LedgerInUseError(
            "The daemon is running, and would add the board again. Stop it first."
        )
    with Store.open(config.ledger, readonly=True) as store:
        ledger = store.ledger_id()
    remove_board(broker, ledger)
    say(f"The broker {broker.host} has forgotten this board.")
