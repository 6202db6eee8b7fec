"""What is shipped, and that facts written down in more than one place agree."""

from __future__ import annotations

import json
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
from pochboard.card.program import program_files
from tests.not_empty import not_empty

ROOT = Path(__file__).resolve().parents[2]
POOLS = ["ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke"]
RULESETS = {file.stem for file in (ROOT / "pochboard/rulesets").glob("*.toml")}
# The 40-pin header of every Raspberry Pi since the B+: GPIO number to pin.
HEADER = {
    2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8,
    15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37,
    27: 13,
}  # fmt: skip


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
        "from pochboard.card.program import program_files;"
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


def test_the_source_archive_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    archive = build("sdist", ROOT, tmp_path / "sdist")
    unpacked = tmp_path / "source"
    unpacked.mkdir()
    # Debian 12's `tarfile` lacks the filter that later versions warn about if there is none.
    subprocess.run(["tar", "-xf", archive, "-C", unpacked], check=True)
    (source,) = unpacked.iterdir()
    assert names_in(build("wheel", source, tmp_path / "wheel")) == names_in(wheel)


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


def test_the_command_says_what_to_type_after_an_upgrade_of_python(tmp_path: Path) -> None:
    environment = tmp_path / "pochboard/.venv"
    script = (ROOT / "systemd/pochboard").read_text()
    command = tmp_path / "command"
    command.write_text(script.replace("/opt/pochboard", str(tmp_path / "pochboard")))
    (environment / "bin").mkdir(parents=True)
    (environment / "bin/pochboard").write_text("#!/bin/sh\necho runs\n")
    (environment / "bin/pochboard").chmod(0o755)
    python = Path(sys.executable).resolve()
    (environment / "bin/python").symlink_to(python)
    old = environment / "lib/python3.0"
    old.mkdir(parents=True)
    ran = run("bash", command, "--version")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.endswith(f"type: sudo bash {tmp_path}/pochboard/src/systemd/install.sh\n")
    old.rename(environment / "lib" / python.name)
    assert run("bash", command, "--version").stdout == "runs\n"


def test_one_version_everywhere() -> None:
    version = toml("pyproject.toml")["project"]["version"]
    assert pochboard.__version__ == version
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text()


# What is pinned


def pins(name: str) -> dict[str, tuple[str, int]]:
    """For each package of a list: its version and how many files may be installed."""
    found: dict[str, tuple[str, int]] = {}
    for block in re.split(r"\n(?=[a-z0-9])", (ROOT / name).read_text()):
        head = re.match(r"([a-z0-9][a-z0-9._-]*)==([^\s\\;]+)", block)
        if head:
            found[head[1]] = head[2], block.count("--hash=sha256:")
    return found


def test_every_pinned_package_has_hashes_and_the_lists_agree() -> None:
    everything, to_run = pins("constraints/test.txt"), pins("constraints/run.txt")
    assert to_run
    assert to_run.items() <= everything.items()
    types = pins("constraints/circuitpython.txt")
    assert types.keys() - everything.keys() == {"circuitpython-stubs"}
    assert all(pin == everything.get(name, pin) for name, pin in types.items())
    assert not [name for name, (_, hashes) in (everything | types).items() if hashes == 0]


def test_the_npm_lock_holds_sums_and_no_addresses() -> None:
    packages = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    wanted = json.loads((ROOT / "web/package.json").read_text())["devDependencies"]
    assert packages.pop("")["devDependencies"] == wanted
    assert {f"node_modules/{name}" for name in wanted} <= packages.keys()
    for name, entry in not_empty(packages.items()):
        assert entry["integrity"].startswith("sha512-"), name
        assert "resolved" not in entry, name


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


def test_pins_are_those_of_the_board_contract() -> None:
    plan = toml("hardware/pins.toml")
    buttons = plan["buttons"]
    assert list(buttons) == [*POOLS, *(f"seat{place}" for place in range(1, 9)), "next", "undo"]
    gpios = [pin["gpio"] for pin in buttons.values()]
    assert sorted(gpios) == [*range(2, 7), 12, 13, *range(16, 28)]
    assert plan["pixels"]["data"]["gpio"] == 10
    for pin in [*buttons.values(), plan["pixels"]["data"]]:
        assert pin["header"] == HEADER[pin["gpio"]]
    assert set(gpios) | set(plan["header"]["reserved_gpio"]) == set(HEADER)
    assert not set(gpios) & set(plan["header"]["reserved_gpio"])
    assert set(plan["header"]["ground"]) == {6, 9, 14, 20, 25, 30, 34, 39}


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


def test_the_install_script_puts_the_program_where_the_unit_starts_it() -> None:
    script = (ROOT / "systemd/install.sh").read_text()
    settings = unit()
    assert settings["ExecStart"] == ["/opt/pochboard/.venv/bin/pochboard run --lan --switch-off"]
    assert "\nprefix=/opt/pochboard\n" in script
    assert f"\nuser={settings['User'][0]}\n" in script


# The tests themselves
