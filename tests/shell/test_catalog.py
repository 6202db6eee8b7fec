"""House rulesets beside the shipped ones; a bad file is reported, and the others load."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pochboard.errors import Refusal
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.rulesets import RulesetCatalog, load_catalog

GOOD = 'name = "good"\nbase = "modern"\nante = 2\n'


def catalog_of(config_dir: Path, **files: str | bytes) -> RulesetCatalog:
    folder = config_dir / "rulesets"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_catalog(config_dir)


def only_problem(catalog: RulesetCatalog) -> tuple[str, str | None, str]:
    (problem,) = catalog.problems
    return problem.file.name, problem.key, problem.reason


def test_house_rulesets_come_after_the_shipped_ones(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, good=GOOD)
    assert list(catalog.rulesets) == [*shipped_rulesets(), "good"]
    assert catalog.rulesets["good"].ante == 2
    assert catalog.files["good"] == tmp_path / "rulesets" / "good.toml"
    assert "good" not in shipped_rulesets()


def test_a_night_starts_with_a_house_ruleset(tmp_path: Path) -> None:
    resolve = resolve_among(catalog_of(tmp_path, good=GOOD).rulesets)
    rules = resolve("good", {"stack": 30})
    assert isinstance(rules, Ruleset)
    assert (rules.ante, rules.stack) == (2, 30)
    assert isinstance(resolve("other", {}), Refusal)


def test_a_base_may_be_in_a_later_file(tmp_path: Path) -> None:
    catalog = catalog_of(
        tmp_path,
        a='name = "third"\nbase = "second"\nante = 3\n',
        b='name = "second"\nbase = "first"\nstack = 90\n',
        c='name = "first"\nbase = "banker"\nhand = 6\n',
    )
    assert catalog.problems == []
    third = catalog.rulesets["third"]
    assert (third.ante, third.stack, third.hand, third.bet_pool) == (3, 90, 6, "pinke")


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("name = ", None, "This is not TOML: "),
        (b'name = "caf\xe9"', None, "This is not UTF-8 at byte 11. Save it as UTF-8."),
        ("x = " + "[" * 20_000, None, "This is not TOML: it is nested too deeply"),
        ("x = " + "[" * 200 + "]" * 200, None, "This is not TOML: it is nested too deeply"),
        ("x." * 1_000 + "x = 1", None, "This is not TOML: it is nested too deeply"),
        ("x = " + "1" * 5_000, None, "This is not TOML: Exceeds the limit "),
        ("", "name", "must be given"),
    ],
)
def test_a_bad_file_is_reported_and_the_others_load(
    tmp_path: Path, text: str | bytes, key: str | None, reason: str
) -> None:
    catalog = catalog_of(tmp_path, bad=text, good=GOOD)
    file, found_key, found_reason = only_problem(catalog)
    assert (file, found_key) == ("bad.toml", key)
    assert reason in found_reason
    assert list(catalog.rulesets) == [*shipped_rulesets(), "good"]


def test_what_is_not_a_file_is_a_problem(tmp_path: Path) -> None:
    folder = tmp_path / "rulesets"
    (folder / "folder.toml").mkdir(parents=True)
    os.mkfifo(folder / "pipe.toml")
    (folder / "loop.toml").symlink_to("loop.toml")
    (folder / "nowhere.toml").symlink_to("nothing")
    (folder / ".hidden.toml").write_text("rubbish")
    (folder / "notes.txt").write_text("rubbish")
    catalog = catalog_of(tmp_path, good=GOOD)
    assert [(p.file.name, p.reason) for p in catalog.problems] == [
        ("folder.toml", "This is not a regular file."),
        ("loop.toml", "This file cannot be read: Too many levels of symbolic links."),
        ("nowhere.toml", "This file cannot be read: No such file or directory."),
        ("pipe.toml", "This is not a regular file."),
    ]
    assert "good" in catalog.rulesets


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path.name == "secret.toml":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    catalog = catalog_of(tmp_path, good=GOOD, secret="")
    assert only_problem(catalog) == (
        "secret.toml",
        None,
        "This file cannot be read: Permission denied.",
    )
    assert "good" in catalog.rulesets


def test_bases_that_form_a_cycle_are_problems(tmp_path: Path) -> None:
    catalog = catalog_of(
        tmp_path,
        a='name = "a"\nbase = "b"',
        b='name = "b"\nbase = "c"',
        c='name = "c"\nbase = "b"',
        good=GOOD,
    )
    assert [(p.file.name, p.key) for p in catalog.problems] == [
        ("a.toml", "base"),
        ("b.toml", "base"),
        ("c.toml", "base"),
    ]
    assert "good" in catalog.rulesets


names = st.sampled_from(["a", "b", "c", "d", "modern"])


@settings(max_examples=60)
@given(files=st.lists(st.tuples(names, names, st.integers(0, 3)), max_size=6))
def test_every_file_is_in_the_catalog_or_has_a_problem(
    tmp_path_factory: pytest.TempPathFactory, files: list[tuple[str, str, int]]
) -> None:
    catalog = catalog_of(
        tmp_path_factory.mktemp("config"),
        **{
            f"f{number}": f'name = "{name}"\nbase = "{base}"\nante = {ante}\n'
            for number, (name, base, ante) in enumerate(files)
        },
    )
    assert len(catalog.files) + len(catalog.problems) == len(files)
    assert set(catalog.rulesets) == {*shipped_rulesets(), *catalog.files}
    in_catalog = {path.name for path in catalog.files.values()}
    for number, (name, _, ante) in enumerate(files):
        if f"f{number}.toml" in in_catalog:
            assert catalog.rulesets[name].ante == ante > 0
