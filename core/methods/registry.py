"""The methods by name. To add one, add a file here and an entry below, or write a plug-in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.domains import DomainSpec
from core.methods.aff_qa import AffordanceQuestion
from core.methods.as_released import AsReleased, AsReleasedOptions
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful
from core.methods.classical import OpenLoop
from core.methods.dkprompt import DKPrompt, DKPromptOptions
from core.methods.eff_only import EffectsOnly
from core.methods.pre_only import PreconditionsOnly
from core.methods.repeat_first import RepeatFirst, RepeatFirstOptions
from core.methods.skeleton import PerceptionOptions
from core.methods.suc_aff_qa import SuccessAndAffordance
from core.methods.suc_qa import SuccessQuestion
from core.methods.vlm_planner import VlmPlanner, VlmPlannerOptions
from core.planning.planner import make_planner
from core.planning_model import Problem
from core.policy import Policy
from core.ports import Answerer, Planner
from core.registry import Entry, Registry


def _doubting(folder: DomainSpec, problem: Problem, options: DKPromptOptions, **needs: Any) -> Policy:
    return DKPrompt(folder, problem, options, "dkprompt-doubt")


def _careful(
    folder: DomainSpec,
    problem: Problem,
    options: CarefulOptions,
    planner: Planner | None = None,
    answerer: Answerer | None = None,
    **_: Any,
) -> Policy:
    return Careful(folder, problem, planner or make_planner(), answerer, options)


class DoubtingOptions(DKPromptOptions):
    doubt_unseen: bool = True


METHODS: Registry[Policy] = Registry(
    "method",
    (
        Entry(
            "dkprompt",
            "DKPROMPT",
            "Asks about effects and next preconditions in one call, as the paper prints it.",
            lambda folder, problem, options, **_: DKPrompt(folder, problem, options),
            DKPromptOptions,
        ),
        Entry(
            "careful",
            "Careful",
            "Weighs whole states of the world, and asks, looks, acts or claims by what that is worth (ours).",
            _careful,
            CarefulOptions,
        ),
        Entry(
            "dkprompt-doubt",
            "DKPROMPT, doubting",
            "Also doubts what nobody could see when a visible effect stays away (ours).",
            _doubting,
            DoubtingOptions,
        ),
        Entry(
            "eff-only",
            "Effects only",
            "Asks about the effects of the step just done (the paper's ablation).",
            lambda folder, problem, options, **_: EffectsOnly(folder, problem, options),
            PerceptionOptions,
        ),
        Entry(
            "pre-only",
            "Preconditions only",
            "Asks about the preconditions of the next step (the paper's ablation).",
            lambda folder, problem, options, **_: PreconditionsOnly(folder, problem, options),
            PerceptionOptions,
        ),
        Entry(
            "suc-qa",
            "Success question",
            "Asks whether the step just done was successful; if not, it is done again (a baseline).",
            lambda folder, problem, options, **_: SuccessQuestion(folder, problem, options),
            PerceptionOptions,
        ),
        Entry(
            "aff-qa",
            "Affordance question",
            "Asks whether the next step is possible; if not, its preconditions are made anew (a baseline).",
            lambda folder, problem, options, **_: AffordanceQuestion(folder, problem, options),
            PerceptionOptions,
        ),
        Entry(
            "suc-aff-qa",
            "Success and affordance",
            "Asks both: was the step successful, is the next one possible (a baseline).",
            lambda folder, problem, options, **_: SuccessAndAffordance(folder, problem, options),
            PerceptionOptions,
        ),
        Entry(
            "classical",
            "Classical planner",
            "Plans once, does every step and asks nothing (a baseline).",
            lambda folder, problem, options, **_: OpenLoop(folder, problem, options),
            PerceptionOptions,
        ),
        Entry(
            "vlm-planner",
            "VLM planner",
            "The model itself makes the plan, from a description of the domain (a baseline).",
            lambda folder, problem, options, **_: VlmPlanner(folder, problem, options),
            VlmPlannerOptions,
        ),
        Entry(
            "repeat-first",
            "Repeat first",
            "DKPROMPT that does a failed step again before it plans again (the paper's short version).",
            lambda folder, problem, options, **_: RepeatFirst(folder, problem, options),
            RepeatFirstOptions,
        ),
        Entry(
            "as-released",
            "DKPROMPT as released",
            "Asks and uses the simulator's data as the authors' code does.",
            lambda folder, problem, options, **_: AsReleased(folder, problem, options),
            AsReleasedOptions,
        ),
    ),
)


def make_method(
    name: str,
    folder: DomainSpec,
    problem: Problem,
    options: Mapping[str, Any] | None = None,
    **needs: Any,
) -> Policy:
    """Return a method by name; `needs` are what else it may use: `planner`, `answerer`, `model`, and
    `supervision`, the operator's levels at the beginning.

    They may change while the method runs, so each context has the current ones. Raises UnknownName, and
    BadValue for an option.
    """
    entry = METHODS[name]
    return entry.build(folder=folder, problem=problem, options=entry.read_options(options or {}), **needs)
