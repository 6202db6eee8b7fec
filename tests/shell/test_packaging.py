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
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import pochboard
from pochboard.card.program import program_files
from tests.some import some

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


def test_the_wheel_holds_the_page_as_it_is_in_the_repository(wheel: Path) -> None:
    files = [path for path in tracked() if path.is_relative_to(ROOT / "web")]
    shipped = {
        f"pochboard/{path.relative_to(ROOT)}"
        for path in files
        if path.relative_to(ROOT / "web").parts[0] in {"static", "templates"}
    }
    assert any(name.endswith(".html") for name in shipped)
    assert any(name.endswith(".js") for name in shipped)
    assert shipped <= names_in(wheel)


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
    """`make torture` installs it."""
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


def test_the_lists_hold_what_the_project_asks_for() -> None:
    project = toml("pyproject.toml")["project"]

    def names(wanted: list[str]) -> set[str]:
        return {re.split(r"[<>=!~;\[ ]", line)[0].lower() for line in wanted}

    assert names(project["dependencies"]) == {
        "a2wsgi", "click", "flask", "h11", "ifaddr", "msgspec", "segno", "uvicorn",
    }  # fmt: skip
    assert names(project["dependencies"]) | {"hatchling", "editables"} <= set(
        pins("constraints/run.txt")
    )
    assert names(project["optional-dependencies"]["dev"]) <= set(pins("constraints/test.txt"))


def test_the_npm_lock_holds_sums_and_no_addresses() -> None:
    packages = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    wanted = json.loads((ROOT / "web/package.json").read_text())["devDependencies"]
    assert packages.pop("")["devDependencies"] == wanted
    assert {f"node_modules/{name}" for name in wanted} <= packages.keys()
    for name, entry in some(packages.items()):
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


def test_what_make_calls_can_be_called() -> None:
    for name in (
        *(".ci/run", ".ci/setup", ".ci/checks", ".ci/lock", ".ci/fresh-machine"),
        *(".ci/deb", ".ci/release"),
        "systemd/install.sh",
    ):
        assert os.access(ROOT / name, os.X_OK), name
        assert run("bash", "-n", ROOT / name).returncode == 0, name


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(("checks", "status"), [("true", 0), ("false", 1)])
def test_ci_tries_every_python_and_names_those_that_are_missing(
    tmp_path: Path, checks: str, status: int
) -> None:
    """With stand-ins for what the script calls, and for the Pythons of pyenv."""
    used = "{}.{}".format(*sys.version_info)
    others = {"3.11", "3.12", "3.13"} - {used}
    for name in ("bin/make", ".ci/setup", ".ci/fresh-machine"):
        script(tmp_path / name, "true")
    script(tmp_path / ".ci/checks", f'echo "$POCHBOARD_VENV: $*"\n{checks}')
    script(tmp_path / ".venv/bin/python", f'exec {sys.executable} "$@"')
    (tmp_path / ".ci/run").write_bytes((ROOT / ".ci/run").read_bytes())
    path = f"{tmp_path}/bin:/usr/bin:/bin"
    env = os.environ | {"PATH": path, "PYENV_ROOT": str(tmp_path / "pyenv")}
    bare = run("bash", tmp_path / ".ci/run", env=env).stdout
    for version in others:
        missing = f"Python {version}: not found on this machine" in bare
        assert missing != (f"build/python{version}: tests/core" in bare)
        script(tmp_path / f"pyenv/versions/{version}.9/bin/python", "true")
    full = run("bash", tmp_path / ".ci/run", env=env)
    assert full.returncode == status
    assert f"Python {used}: everything" in full.stdout
    assert "not found" not in full.stdout
    for version in others:
        assert f"build/python{version}: tests/core" in full.stdout
        assert (f"Python {version}: FAILED" in full.stdout) == bool(status)
    for version in others - {"3.12"}:
        assert f"build/python{version}: tests/core tests/shell" in full.stdout


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


def test_the_readme_shows_the_same_pins() -> None:
    buttons = toml("hardware/pins.toml")["buttons"]
    cells = re.findall(r"\| (\d+) \| (\d+) \| `(\w+)` ", (ROOT / "hardware/README.md").read_text())
    assert {name: (int(header), int(gpio)) for header, gpio, name in cells} == {
        name: (pin["header"], pin["gpio"]) for name, pin in buttons.items()
    }


def test_the_parts_make_one_board_within_its_supply() -> None:
    parts = toml("hardware/parts.toml")["part"]
    pixels = 9 * 12 + 8
    bought = sum(part["quantity"] * part.get("pixels", 0) for part in parts)
    assert pixels <= bought < pixels + 50
    assert sum(part["quantity"] * part.get("buttons", 0) for part in parts) == 19
    full_white_ma = pixels * 765 * 55 / 765 + pixels
    assert f"| {full_white_ma:.0f} (" in (ROOT / "hardware/README.md").read_text()
    (supply_ma,) = [part["supply_ma"] for part in parts if "supply_ma" in part]
    assert 3000 < supply_ma < full_white_ma


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


def test_the_install_script_explains_itself_and_wants_root(tmp_path: Path) -> None:
    script = ROOT / "systemd/install.sh"
    printed = run(script, "--help")
    assert printed.returncode == 0
    assert "usage: sudo systemd/install.sh" in printed.stdout
    assert run(script, "--nonsense").returncode == 2
    nobody = tmp_path / "id"
    nobody.write_text("#!/bin/sh\necho 1000\n")
    nobody.chmod(0o755)
    refused = run(script, env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert refused.returncode == 1
    assert "as root" in refused.stderr


# The tests themselves

LEAKS = {
    "thread": "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
    "process": "KEPT.append(subprocess.Popen([sys.executable, '-c', 'input()'], stdin=-1))",
    "socket": "KEPT.append(socket.socket())",
    "file": "open(__file__)",
}


def test_a_test_that_leaves_something_behind_fails(tmp_path: Path) -> None:
    source = (ROOT / "tests/leak_check.py").read_text()
    assert "GRACE_S = 30.0" in source
    (tmp_path / "conftest.py").write_text(source.replace("GRACE_S = 30.0", "GRACE_S = 0.2"))
    (tmp_path / "test_leak.py").write_text(
        "import socket, subprocess, sys, threading, time\n"
        "KEPT = []\n"
        "def test_nothing():\n    pass\n"
        + "".join(f"def test_{leak}():\n    {code}\n" for leak, code in LEAKS.items())
    )
    options = (
        "-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:anyio",
        "-rA", "-W", "error", "--rootdir", tmp_path, tmp_path,
    )  # fmt: skip
    played = run(sys.executable, "-m", "pytest", *options, cwd=tmp_path)
    assert played.returncode == 1, played.stdout
    failed = set(re.findall(r"^(?:ERROR|FAILED) .*::test_(\w+)", played.stdout, re.MULTILINE))
    assert failed == set(LEAKS), played.stdout
    for said in ("threads left running", "processes left running", "sockets left open"):
        assert said in played.stdout
    assert "ResourceWarning: unclosed file" in played.stdout


@pytest.mark.parametrize("empty", [[], (), {}, frozenset()])
def test_an_empty_constant_in_tests_is_refused(
    request: pytest.FixtureRequest, empty: object
) -> None:
    module = request.node.getparent(pytest.Module)
    collected = partial(request.config.hook.pytest_pycollect_makeitem, collector=module)
    with pytest.raises(module.CollectError, match="ROWS is empty, so tests"):
        collected(name="ROWS", obj=empty)
    for name, obj in (("ROWS", [0]), ("rows", empty), ("NOTHING", empty), ("COUNT", 0)):
        assert collected(name=name, obj=obj) is None
    with pytest.raises(AssertionError, match="nothing to go through"):
        some(iter(()))
    assert some(iter("ab")) == ["a", "b"]


def test_a_table_without_rows_is_refused(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.getini("empty_parameter_set_mark") == "fail_at_collect"
