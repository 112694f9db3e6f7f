"""The methods by name. To add one, add a file here and an entry below, or write a plug-in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from core.domains import DomainSpec
from core.methods.baselines import (
    AffordanceQuestion,
    EffectsOnly,
    OpenLoop,
    PreconditionsOnly,
    SuccessAndAffordance,
    SuccessQuestion,
)
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful
from core.methods.cowp.closed_world import ClosedWorld, EkOptions, ExternalKnowledge, OpenWorldMethodOptions
from core.methods.cowp.policy import Cowp, CowpOptions, task_in_words
from core.methods.cowp.program_planner import ProgramPlanner
from core.methods.dkprompt import (
    AsReleased,
    AsReleasedOptions,
    DKPrompt,
    DKPromptOptions,
    RepeatFirst,
    RepeatFirstOptions,
)
from core.methods.owl_tamp import OwlTamp, OwlTampOptions
from core.methods.skeleton import PerceptionOptions
from core.methods.vlm_planner import VlmPlanner, VlmPlannerOptions
from core.open_world.prompts import PromptKind
from core.open_world.world_file import load_open_world, pddl_name
from core.planners import Planner
from core.planning.planner import make_planner
from core.planning_model import Problem
from core.policy import Policy
from core.ports import Answerer, Model
from core.registry import Entry, Registry
from core.stock import StockItem
from core.vqa.knower.simulated_knower import SimulatedKnower


def _plain(method: Callable[[DomainSpec, Problem, Any], Policy]) -> Callable[..., Policy]:
    """Return what makes a method that needs domain, problem and options alone."""
    return lambda domain_spec, problem, options, **_: method(domain_spec, problem, options)


class _Needs(NamedTuple):
    """What a method is made of; what there is none of is left out."""

    domain_spec: DomainSpec
    problem: Problem
    options: Any
    planner: Planner
    answerer: Answerer | None = None
    model: Model | None = None
    stock: tuple[StockItem, ...] = ()
    prompt_style: str = ""
    supervision: object = None


def _needing(method: Callable[[_Needs], Policy]) -> Callable[..., Policy]:
    """Return what makes a method that needs a planner, and perhaps more."""
    return lambda planner=None, **given: method(_Needs(planner=planner or make_planner(), **given))


def _cowp(n: _Needs) -> Policy:
    one_call = n.options.one_call and n.prompt_style != "paper"
    chosen = n.options.model_copy(update={"one_call": one_call})
    return Cowp(n.domain_spec, n.problem, n.planner, n.stock, chosen)


def _owl_tamp(n: _Needs) -> Policy:
    writes = n.model is not None and not isinstance(n.model, SimulatedKnower)
    return OwlTamp(n.domain_spec, n.problem, n.options, n.planner, n.stock, writes)


def _external_knowledge(n: _Needs) -> Policy:
    world = load_open_world(n.domain_spec)
    roles = {role: tuple(map(pddl_name, kinds)) for role, kinds in world.roles.items()}
    things = world.kinds_of_things()
    return ExternalKnowledge(n.domain_spec, n.problem, n.planner, n.stock, roles, things, n.options)


def _program(name: str, purpose: PromptKind) -> Callable[..., Policy]:
    def make(n: _Needs) -> Policy:
        task = task_in_words(n.domain_spec, n.problem)
        return ProgramPlanner(n.domain_spec, n.problem, n.planner, n.stock, name, purpose, task)

    return _needing(make)


class DoubtingOptions(DKPromptOptions):
    doubt_unseen: bool = True


OURS: tuple[Entry[Policy], ...] = (
    Entry("dkprompt", "DKPROMPT",
          "Asks about effects and next preconditions in one call, as the paper prints it.",
          _plain(DKPrompt), DKPromptOptions),
    Entry("careful", "Careful",
          "Recommended (ours): keeps several possible states, and asks, looks or acts where it pays.",
          _needing(lambda n: Careful(n.domain_spec, n.problem, n.planner, n.answerer, n.options)),
          CarefulOptions),
    Entry("dkprompt-doubt", "DKPROMPT, doubting",
          "Also doubts what nobody could see when a visible effect stays away (ours).",
          _plain(partial(DKPrompt, name="dkprompt-doubt")), DoubtingOptions),
    Entry("eff-only", "Effects only",
          "Asks about the effects of the step just done (the paper's ablation).",
          _plain(EffectsOnly), PerceptionOptions),
    Entry("pre-only", "Preconditions only",
          "Asks about the preconditions of the next step (the paper's ablation).",
          _plain(PreconditionsOnly), PerceptionOptions),
    Entry("suc-qa", "Success question",
          "Asks whether the step just done was successful; if not, it is done again (a baseline).",
          _plain(SuccessQuestion), PerceptionOptions),
    Entry("aff-qa", "Affordance question",
          "Asks whether the next step is possible; if not, its preconditions are made anew (a baseline).",
          _plain(AffordanceQuestion), PerceptionOptions),
    Entry("suc-aff-qa", "Success and affordance",
          "Asks both: was the step successful, is the next one possible (a baseline).",
          _plain(SuccessAndAffordance), PerceptionOptions),
    Entry("classical", "Classical planner",
          "Plans once, does every step and asks nothing (a baseline).",
          _plain(OpenLoop), PerceptionOptions),
    Entry("vlm-planner", "VLM planner",
          "The model itself makes the plan, from a description of the domain (a baseline).",
          _plain(VlmPlanner), VlmPlannerOptions),
    Entry("repeat-first", "Repeat first",
          "DKPROMPT that does a failed step again before it plans again (the paper's short version).",
          _plain(RepeatFirst), RepeatFirstOptions),
    Entry("as-released", "DKPROMPT as released",
          "Asks and uses the simulator's data as the authors' code does.",
          _plain(AsReleased), AsReleasedOptions),
    Entry("cowp", "COWP",
          "Learns preconditions, substitutes and repairs from a language model when something is unusual.",
          _needing(_cowp), CowpOptions),
    Entry("progprompt", "ProgPrompt",
          "A language model writes the plan as a program, anew in a situation (COWP's baseline).",
          _program("progprompt", PromptKind.PROGRAM), OpenWorldMethodOptions),
    Entry("inner-monologue", "Inner Monologue",
          "A language model says one action after the other (COWP's baseline).",
          _program("inner-monologue", PromptKind.MONOLOGUE), OpenWorldMethodOptions),
    Entry("lmzsp", "Zero-shot planner",
          "A language model writes the plan once and is told nothing more (COWP's baseline LMZSP).",
          _program("lmzsp", PromptKind.ZERO_SHOT), OpenWorldMethodOptions),
    Entry("ek", "External knowledge",
          "Knows substitutes for a fixed half of the household's things (COWP's baseline).",
          _needing(_external_knowledge), EkOptions),
    Entry("owl-tamp", "OWL-TAMP",
          "A wish becomes steps and tests, a search finds the motions, and each place is looked at.",
          _needing(_owl_tamp),
          OwlTampOptions),
    Entry("cw", "Closed world",
          "Plans again from the sensed state and learns nothing (COWP's baseline).",
          _needing(lambda n: ClosedWorld(n.domain_spec, n.problem, n.planner)), OpenWorldMethodOptions),
)  # fmt: skip
METHODS: Registry[Policy] = Registry("method", OURS)


def asks_knower(name: str) -> bool:
    """Return True if it asks a language model about the domain, in words for which one can be simulated."""
    return name in ("cowp", "progprompt", "inner-monologue", "lmzsp", "owl-tamp")


def make_method(
    name: str,
    domain_spec: DomainSpec,
    problem: Problem,
    options: Mapping[str, Any] | None = None,
    **needs: Any,
) -> Policy:
    """Return a method by name; `needs` are what else it may use: `planner`, `answerer`, `model`,
    `prompt_style`, and `supervision`, the operator's levels at the beginning.

    They may change while the method runs, so each context has the current ones. Raises UnknownName, and
    BadValue for an option.
    """
    entry = METHODS[name]
    return entry.build(
        domain_spec=domain_spec, problem=problem, options=entry.read_options(options or {}), **needs
    )
