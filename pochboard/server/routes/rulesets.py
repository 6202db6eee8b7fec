"""The rulesets: those that a night can be started with, and saving those of the house."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from pochboard.errors import Refusal
from pochboard.server.context import Context
from pochboard.server.language import request_translator
from pochboard.server.routing import Permission, Routes
from pochboard.views.refusals import RefusalAnswer
from pochboard.views.rulesets import RulesetsAnswer, rulesets_answer

routes: Final = Routes()


class SaveRulesetBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ruleset of the house: another ruleset with some parameters changed."""

    name: str
    base: str
    options: dict[str, Any] = {}
    replace: bool = False
    """Whether a house ruleset of this name may be replaced."""


@routes.add(
    "GET",
    "/api/rulesets",
    responses={200: RulesetsAnswer},
)
def get_rulesets(context: Context) -> RulesetsAnswer:
    """The rulesets that a night can be started with, and house files that cannot be used."""
    return rulesets_answer(context.catalog, context.table.lights, request_translator())


@routes.add(
    "POST",
    "/api/rulesets",
    body=SaveRulesetBody,
    responses={201: RulesetsAnswer, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def save_ruleset(context: Context, body: SaveRulesetBody) -> RulesetsAnswer | Refusal:
    """Saves a ruleset of the house as a file of the configuration (CONFIG.md).

    It can be used at once. One that exists is replaced only if `replace` says so.
    """
    saved = context.house_rules.save(body.name, body.base, body.options, replace=body.replace)
    if isinstance(saved, Refusal):
        return saved
    return rulesets_answer(context.catalog, context.table.lights, request_translator())


@routes.add(
    "DELETE",
    "/api/rulesets/{name}",
    responses={200: RulesetsAnswer, 400: RefusalAnswer, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def delete_ruleset(context: Context, name: str) -> RulesetsAnswer | Refusal:
    """Deletes a ruleset of the house.

    Nights that were begun with it keep it.
    """
    refusal = context.house_rules.delete(name)
    if refusal is not None:
        return refusal
    return rulesets_answer(context.catalog, context.table.lights, request_translator())
