"""Say in one sentence, before an episode begins, what an eye cannot answer in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import prod

from core.domains import DomainSpec, Perception
from core.planning_model import Problem
from core.text.plural import plural
from core.vqa.eye.coverage import vision_atoms
from core.vqa.eye.eye_file import EyeCard
from core.vqa.eye.questions import object_word, question_key

ABOUT_STEPS = frozenset(("aff-qa", "suc-qa", "suc-aff-qa"))  # methods whose questions no eye is trained on
ASK_NOTHING = frozenset(("classical", "vlm-planner", "cowp", "progprompt", "inner-monologue", "lmzsp"))
ASK_NOTHING |= {"ek", "cw"}
MOST_STEPS = 20_000  # beyond this the questions are not counted one by one
MOST_NAMES = 5
REMEDY = "Correct the belief where it matters, or choose another answerer."


def gap_sentence(
    cards: Sequence[EyeCard],
    domain_spec: DomainSpec,
    problem: Problem,
    robot: str,
    method: str,
    pictures: bool,
) -> str:
    """Return which of an episode's questions none of these eyes can answer, "" if they may answer all."""
    seen = {p.name for p in problem.domain.predicates if domain_spec.perception(p.name) is Perception.VISION}
    if method in ASK_NOTHING or not seen:
        return ""
    if not pictures:
        return f"There are no pictures, so the eye can answer nothing: every question stays unknown. {REMEDY}"
    if method in ABOUT_STEPS:
        return f"No eye answers questions about steps, as {method} asks: they all stay unknown. {REMEDY}"
    if untrained := _untrained(cards, domain_spec, problem, seen):
        return f"The eye was not trained on {untrained}: these stay unknown. {REMEDY}"
    robots = sorted({name for card in cards for name in card.robots})
    if robots and robot not in robots:
        those = ", ".join(robots)
        return f"The eye was trained on pictures of {those}, not of {robot}: it may answer nothing. {REMEDY}"
    return ""


def _untrained(cards: Sequence[EyeCard], domain_spec: DomainSpec, problem: Problem, seen: set[str]) -> str:
    """Return how many of the task's questions no card has, and what they are about; "" if there are none."""
    known = {question for card in cards for question in card.questions}
    words = {word for card in cards for word in card.objects}
    predicates = sorted(seen - {name for card in cards for name in card.predicates})
    things = sorted({object_word(thing.name) for thing in problem.all_objects} - words)
    if _steps(problem) <= MOST_STEPS:
        asked = vision_atoms(domain_spec, problem)
        lacking = [atom for atom in asked if question_key(atom) not in known]
        if not lacking:
            return ""
        used = {atom.predicate for atom in lacking}
        predicates = [name for name in predicates if name in used]
        things = [w for w in things if any(w in map(object_word, atom.args) for atom in lacking)]
        count = f"{len(lacking)} of the {plural(len(asked), 'question')} of this task"
    elif not predicates and not things:
        return ""
    else:
        count = "many questions of this task"
    about = "; ".join(filter(None, (_named("about", predicates), _named("of things", things))))
    return f"{count} ({about})" if about else count


def _steps(problem: Problem) -> int:
    return sum(
        prod(len(problem.of_type(p.type)) for p in action.parameters) for action in problem.domain.actions
    )


def _named(what: str, names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{what}: {', '.join(islice(names, MOST_NAMES))}{more}" if names else ""
