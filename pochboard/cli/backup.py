"""Maintaining the ledger: `pochboard backup`, `restore`, `verify` and `repair`."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click

from pochboard.backup import (
    UPLOAD_BYTES,
    apply_restore,
    back_up,
    back_up_daily,
    dated,
    prepare_restore,
    repair_ledger,
    restore_configuration,
)
from pochboard.backup.archive import Manifest
from pochboard.cli.common import (
    folders,
    progress,
    read_config,
    say,
    say_problem,
)
from pochboard.config_file import config_dir, data_dir
from pochboard.errors import BackupError, DamagedLedgerError
from pochboard.runtime.process import DaemonInfo, DaemonLock
from pochboard.store import Report, Saved, Store
from pochboard.table.clock import minute_text


@click.command(short_help="Back up the ledger and the configuration.")
@folders
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Make a file named after the day and time in this folder.",
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
def backup(
    data: Path | None,
    settings: Path | None,
    folder: Path | None,
    force: bool,
    file: Path | None,
) -> None:
    """Back up the ledger, the configuration and the house rulesets to one file.

    The daemon may be running. Without FILE or --to, this is the daily backup. It goes to the folder
    backups beside the ledger, and to a second place if one is configured (backup_to). Old backups
    are deleted: the newest backups_kept of them stay.
    """
    if file and folder:
        raise click.UsageError("Name a file or use --to, not both.")
    if force and not file:
        raise click.UsageError("--force is for FILE.")
    config = read_config(settings, data)
    settings = settings or config_dir()
    if file is None and folder is None:
        record = back_up_daily(settings, config)
        say(f"Backed up to {record.file}.")
        if record.second_file:
            say(f"A copy is in {record.second_file}.")
        if record.second_problem:
            say_problem(f"no second copy: {record.second_problem}")
        _say_if_large(Path(record.file))
        return
    target = (file or dated(folder or Path())).absolute()
    if not target.parent.is_dir():
        raise BackupError(f"There is no folder {target.parent}.")
    with Store.open(config.ledger, readonly=True) as store:
        manifest = back_up(store, settings, target, replace=force)
    say(f"Backed up {counted(manifest)} to {target}.")
    _say_if_large(target)


def _say_if_large(file: Path) -> None:
    if file.stat().st_size > UPLOAD_BYTES:
        say("It is too large for a phone to send: restore it with `pochboard restore`.")


@click.command(short_help="Restore a backup.")
@folders
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def restore(data: Path | None, settings: Path | None, file: Path) -> None:
    """Check a backup, then replace the current ledger with the one from it.

    FILE is a backup, or a ledger file such as replaced-…/ledger.db. The daemon must not be running.
    The current ledger is moved to a folder beside it. Missing configuration files are restored.
    """
    file = file.absolute()
    data = data or data_dir()
    with DaemonLock(data, DaemonInfo(os.getpid())):
        prepared = prepare_restore(file, data)
        replaced = apply_restore(data)
    made = prepared.manifest
    when = f", made on {minute_text(made.made_ms)}" if made else ""
    say(f"Restored {counted(prepared.counted)} from {file}{when}.")
    if replaced:
        say(f"The replaced ledger is in {replaced}.")
    say("Phones have to be paired again.")
    if made:
        restored, kept = restore_configuration(file, settings or config_dir())
        for path in restored:
            say(f"Restored {path}.")
        for path in kept:
            say(f"Kept {path}, which differs from the backup.")


@click.command(short_help="Verify the whole ledger.")
@folders
@click.option("--replay", is_flag=True, help="Also replay every night under its rules.")
def verify(data: Path | None, settings: Path | None, replay: bool) -> None:
    """Verify the whole ledger: file, numbers, chain of entries, summaries.

    Whether the chips moved as the rules say is seen with --replay alone. The daemon may be running.
    The exit status is 0 if the ledger is sound, 1 if it is damaged.
    """
    config = read_config(settings, data)
    with Store.open_readable(config.ledger) as store, progress("nights") as show:
        report = store.verify(show, replayed=replay)
    if store.damage and not report.findings:
        raise DamagedLedgerError(store.damage)
    for finding in report.findings:
        say(finding.text)
    if report.findings:
        problems = "problem" if len(report.findings) == 1 else "problems"
        say(
            f"The ledger is damaged: {len(report.findings)} {problems} in {counted(report)}."
            " Restore a backup, or save what is sound with: pochboard repair"
        )
        sys.exit(1)
    say(f"The ledger is sound: {counted(report)}.")


@click.command(short_help="Save what is sound in a damaged ledger.")
@folders
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
def repair(data: Path | None, settings: Path | None, file: Path | None) -> None:
    """Save what is sound in a damaged ledger to a new one, and name what is not.

    The damaged ledger is not changed. The new one is FILE, by default a file in the data folder;
    `pochboard restore` puts it in place. The daemon must not be running. The exit status is 0 if
    everything was saved, 1 if something was not.
    """
    config = read_config(settings, data)
    with DaemonLock(config.data, DaemonInfo(os.getpid())):
        made, saved = repair_ledger(config, file.absolute() if file else None)
    for remark in saved.remarks:
        say(remark)
    say(f"Saved {counted(saved)} to {made}.")
    say(f"To use it: pochboard restore {shlex.quote(str(made))}")
    sys.exit(bool(saved.remarks))


def counted(count: Report | Manifest | Saved) -> str:
    """As in `12 nights with 3,456 entries`."""
    nights = "night" if count.nights == 1 else "nights"
    entries = "entry" if count.entries == 1 else "entries"
    return f"{count.nights:,} {nights} with {count.entries:,} {entries}"
