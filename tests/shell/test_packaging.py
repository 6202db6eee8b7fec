"""What is shipped, and that facts written down in more than one place agree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import pochboard
from pochboard.card import program_files

ROOT = Path(__file__).resolve().parents[2]
RULESETS = {file.stem for file in (ROOT / "pochboard/rulesets").glob("*.toml")}


def run(*command: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def toml(path: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / path).read_text())


def tracked() -> list[Path]:
    listing = run("git", "-c", "safe.directory=*", "-C", ROOT, "ls-files", "-z")
    assert listing.returncode == 0, listing.stderr
    paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def build(kind: str, source: Path, target: Path) -> Path:
    command = (sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", target)
    built = run(*command, cwd=source)
    assert built.returncode == 0, built.stderr
    (archive,) = target.iterdir()
    return archive


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


# What is shipped


def test_the_wheel_holds_every_ruleset_and_every_module(wheel: Path) -> None:
    names = names_in(wheel)
    assert {f"pochboard/rulesets/{name}.toml" for name in RULESETS} <= names
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "pochboard").rglob("*.py")}
    assert modules <= names
    assert not [name for name in names if not name.startswith(("pochboard/", "pochboard-"))]


def test_an_unpacked_wheel_works_by_itself(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        "import sys, pochboard; from pochboard.cli import main;"
        "from pochboard.card import program_files;"
        "print(pochboard.__file__); print(*program_files());"
        "sys.argv = ['pochboard', 'rulesets']; main()"
    )
    home = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_DATA_HOME": str(tmp_path / "data")}
    env = os.environ | home | {"PYTHONPATH": str(tmp_path)}
    printed = run(sys.executable, "-c", code, env=env, cwd=tmp_path)
    assert printed.returncode == 0, printed.stderr
    where, program, *listing = printed.stdout.splitlines()
    assert Path(where).is_relative_to(tmp_path)
    assert program.split(" ") == [*program_files()], "a card can be made from it"
    assert all(name in "\n".join(listing) for name in RULESETS)


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="only Debian builds its packages")
def test_the_debian_package_holds_what_it_is_installed_from(tmp_path: Path) -> None:
    """`make release-test` installs it."""
    built = run(ROOT / ".ci/deb", tmp_path)
    assert built.returncode == 0, built.stderr
    (package,) = tmp_path.iterdir()
    assert package.name == f"pochboard_{pochboard.__version__}_all.deb"
    fields = run("dpkg-deb", "--field", package, "Package", "Version", "Architecture").stdout
    assert fields == f"Package: pochboard\nVersion: {pochboard.__version__}\nArchitecture: all\n"
    unpacked = tmp_path / "unpacked"
    assert run("dpkg-deb", "--raw-extract", package, unpacked).returncode == 0
    source = unpacked / "usr/share/pochboard"
    files = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    assert files == set(program_files())
    for script in ("postinst", "prerm", "postrm"):
        assert run("sh", "-n", unpacked / "DEBIAN" / script).returncode == 0
    assert (unpacked / "DEBIAN/triggers").read_text() == "interest-noawait /usr/bin/python3\n"
    if shutil.which("lintian"):
        assert run("lintian", "--allow-root", package).stdout == ""


# What is pinned


def test_no_file_holds_a_download_address_or_a_path_of_some_machine() -> None:
    # Put together here, so that this file does not hold them either.
    hosts = [
        "registry." + "npmjs", "registry." + "yarnpkg", "files." + "pythonhosted",
        "pypi." + "org/simple", "pi" + "wheels.org", "un" + "pkg.com", "js" + "delivr",
        "cdn" + "js.", "esm" + ".sh",
    ]  # fmt: skip
    paths = ["/" + name + "/" for name in ("work", "root", "home")]
    unwanted = re.compile(
        "|".join([*map(re.escape, hosts), r'"resolved"\s*:', rf"(?<![\w.~]){'|'.join(paths)}"])
    )
    files = tracked()
    assert ROOT / "pyproject.toml" in files
    matches = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in files
        if (match := unwanted.search(path.read_bytes().decode(errors="replace")))
    ]
    assert not matches


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


# The board


# The service


def unit() -> dict[str, list[str]]:
    settings: dict[str, list[str]] = {}
    for line in (ROOT / "systemd/pochboard.service").read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not key.startswith("#"):
            settings.setdefault(key, []).append(value)
    return settings


def test_the_unit_keeps_data_where_the_program_looks() -> None:
    settings = unit()
    environment = dict(
        word.split("=", 1) for line in settings["Environment"] for word in line.split()
    )
    assert (
        f"{environment['XDG_DATA_HOME']}/pochboard" == f"/var/lib/{settings['StateDirectory'][0]}"
    )
    assert (
        f"{environment['XDG_CONFIG_HOME']}/pochboard"
        == f"/etc/{settings['ConfigurationDirectory'][0]}"
    )
    runtime = f"/run/{settings['RuntimeDirectory'][0]}"
    assert settings["WorkingDirectory"] == [runtime]


def test_the_unit_never_runs_as_root_and_comes_back() -> None:
    settings = unit()
    assert settings["User"] == settings["Group"] == ["pochboard"]
    assert settings["NoNewPrivileges"] == ["yes"]
    assert settings["CapabilityBoundingSet"] == [""]
    assert settings["ProtectSystem"] == ["strict"]
    assert settings["Restart"] == ["on-failure"]
    assert int(settings["StartLimitBurst"][0]) * 2 < int(settings["StartLimitIntervalSec"][0])


# The tests themselves
