"""The rulesets: those that a night can be started with, and saving those of the house."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from pochboard.errors import Refusal
from pochboard.lights.lights_config import LightsConfig
from pochboard.messages.labels import ruleset_name
from pochboard.messages.parameters import (
    ParameterField,
    parameter_form,
    ruleset_summary,
)
from pochboard.messages.rules_text import value_text
from pochboard.rules.ruleset_files import USUAL, lazy_source, nearest_preset, shipped_rulesets
from pochboard.rulesets import RulesetCatalog
from pochboard.server.arrival import request_translator
from pochboard.server.context import Context
from pochboard.server.routing import Routes
from pochboard.text.translator import ENGLISH, Translator
from pochboard.text.unicode_names import encodable

routes: Final = Routes()


class SaveRulesetBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ruleset of the house: another ruleset with some parameters changed."""

    name: str
    base: str
    options: dict[str, Any] = {}
    replace: bool = False
    """Whether a house ruleset of this name may be replaced."""


class RulesetProblem(msgspec.Struct, frozen=True):
    """A house ruleset that cannot be used, and why."""

    sentence: str


class ListedRuleset(msgspec.Struct, frozen=True):
    """A ruleset that a night can be started with."""

    name: str
    shipped: bool
    parameters: dict[str, Any]
    summary: str
    """A summary in a few sentences."""
    preset: str = ""
    """The shipped ruleset that it is nearest to; a shipped ruleset is its own."""
    players: tuple[int, int] = (0, 0)
    """The fewest and most players at this board."""
    title: str = ""
    """What people call it."""
    first_dealer: str = ""
    """How the first dealer is found, if not by choice."""


class RulesetsAnswer(msgspec.Struct, frozen=True):
    """All rulesets, shipped ones first, and the house rulesets that cannot be used."""

    rulesets: list[ListedRuleset]
    problems: list[RulesetProblem]
    form: tuple[ParameterField, ...]
    """All parameters, as fields of a form."""
    usual: str
    """The one that is played if nobody chooses."""


def rulesets_answer(
    catalog: RulesetCatalog, lights: LightsConfig, t: Translator = ENGLISH
) -> RulesetsAnswer:
    """The rulesets that a night can be started with, and the form of their parameters."""
    shipped = shipped_rulesets()
    return RulesetsAnswer(
        [
            ListedRuleset(
                name,
                name in shipped,
                {**rules.parameters(), "source": t.translated(lazy_source(rules.source))},
                ruleset_summary(rules, t),
                name if name in shipped else nearest_preset(rules).name,
                (rules.players[0], min(rules.players[1], lights.places)),
                ruleset_name(name, t),
                "" if rules.first_dealer == "chosen" else value_text("first_dealer", rules, t),
            )
            for name, rules in catalog.rulesets.items()
        ],
        # Only the file's name: clients on the LAN need not know its folder.
        [
            RulesetProblem(
                t.gettext(
                    "The file {file} cannot be used. {reason}",
                    file=encodable(problem.file.name),
                    reason=problem.reason,
                )
            )
            for problem in catalog.problems
        ],
        parameter_form(t),
        USUAL,
    )


@routes.add("GET", "/api/rulesets")
def get_rulesets(context: Context) -> RulesetsAnswer:
    """The rulesets that a night can be started with, and house files that cannot be used."""
    return rulesets_answer(context.catalog, context.table.lights, request_translator())


@routes.add("POST", "/api/rulesets", status=201, paired=True)
def save_ruleset(context: Context, body: SaveRulesetBody) -> RulesetsAnswer | Refusal:
    """Saves a ruleset of the house as a file of the configuration (CONFIG.md).

    It can be used at once. One that exists is replaced only if `replace` says so.
    """
    saved = context.house_rules.save(body.name, body.base, body.options, replace=body.replace)
    if isinstance(saved, Refusal):
        return saved
    return rulesets_answer(context.catalog, context.table.lights, request_translator())


@routes.add("DELETE", "/api/rulesets/{name}", paired=True)
def delete_ruleset(context: Context, name: str) -> RulesetsAnswer | Refusal:
    """Deletes a ruleset of the house.

    Nights that were begun with it keep it.
    """
    refusal = context.house_rules.delete(name)
    if refusal is not None:
        return refusal
    return rulesets_answer(context.catalog, context.table.lights, request_translator())
