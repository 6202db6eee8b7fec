"""Backups on the page of nights: downloaded and restored from a phone."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.test_accessibility import ELSEWHERE
from tests.browser.test_pairing import pair
from tests.browser.window import Window


def paired_phone(daemon: Daemon, open_window: OpenWindow) -> Window:
    """A phone on the LAN that has been paired, on the page of nights."""
    phone = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    phone.wait_until_live()
    pair(phone)
    phone.open("/nights")
    return phone


def download(phone: Window, path: Path) -> None:
    with phone.page.expect_download() as started:
        phone.find("#backup a", has_text="Download a backup").tap()
    started.value.save_as(path)


def upload(phone: Window, path: Path, said: str) -> None:
    """Chooses a file, and waits for the page's message about it."""
    with phone.page.expect_response("**/api/restore?*"):
        phone.find("#backup input").set_input_files(path)
    phone.find("#backup [role=status]", has_text=said).wait_for()


def test_a_downloaded_backup_is_restored_at_the_next_start(
    make_daemon: Callable[..., Daemon], open_window: OpenWindow, tmp_path: Path
) -> None:
    daemon = make_daemon()
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    phone = paired_phone(daemon, open_window)
    download(phone, tmp_path / "backup.zip")
    with zipfile.ZipFile(tmp_path / "backup.zip") as archive:
        assert "ledger.db" in archive.namelist()

    daemon.do("end")
    upload(phone, tmp_path / "backup.zip", "The backup with 1 night is intact.")
    assert daemon.get("/api/state")["phase"] == "closed", "not before the start"
    phone.watch.expect_outages()
    daemon.expect("^the ledger was restored from a backup")
    daemon.kill()
    daemon.start()
    assert daemon.get("/api/state")["phase"] == "idle"
    phone.page.reload()
    phone.find("#nights li").wait_for()
    assert not ask_backup(phone), "phones have to be paired again"


def ask_backup(window: Window) -> bool:
    """Whether the page offers backups, once it knows whether it may."""
    window.page.wait_for_load_state("networkidle")
    return window.find("#backup section").count() > 0
