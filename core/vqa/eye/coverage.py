"""Find the tasks that an eye can be asked about, and so the default answerer, and what it cannot answer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from math import prod
from pathlib import Path

from core.belief import Atom
from core.domains import SHOWN, DomainSpec, Perception
from core.errors import BadFile
from core.planning import semantics
from core.planning_model import Problem, Step
from core.text.plural import plural
from core.vqa.data_files import user_dir
from core.vqa.eye.eye_file import EyeCard, doubts, eye_folders, read_card, shortfall
from core.vqa.eye.questions import object_word, question_key
from core.work import combinations

EYE, PERFECT = "eye", "perfect"
ABOUT_STEPS = frozenset(("aff-qa", "suc-qa", "suc-aff-qa"))  # methods whose questions no eye is trained on


def default_answerer(
    domain_spec: DomainSpec, problem: Problem, robot: str, *, pictures: bool, real: bool, method: str
) -> str:
    """Return "eye" if an eye that is good enough (`shortfall`) was trained on this robot's pictures and all
    that is asked, else "perfect".

    At a real arm only an eye of the user's own counts: the shipped ones know rendered pictures. Raises
    BadFile for a broken card.
    """
    if not pictures or method in ABOUT_STEPS | {"vlm-planner"}:
        return PERFECT
    own = user_dir("eye")
    cards = [
        card
        for card in map(read_card, _usable(own, real))
        if robot in card.robots and _might_cover(card, domain_spec, problem)
    ]
    asked_of = {question: card for card in reversed(cards) for question in card.questions}
    asked = [asked_of.get(question_key(atom)) for atom in vision_atoms(domain_spec, problem)] if cards else []
    fit = {card.version for card in cards if not shortfall(card)}
    return EYE if asked and all(card and card.version in fit for card in asked) else PERFECT


def _usable(own: Path, real: bool) -> tuple[Path, ...]:
    return tuple(path for path in eye_folders() if not real or path.is_relative_to(own))


def folders_for(problem: Problem | None) -> tuple[Path, ...]:
    """Return the folders of the eyes that may know a problem's things; of all eyes if none does."""
    every = eye_folders()
    fitting = tuple(path for path in every if problem and _knows_things(read_card(path), problem))
    return fitting or every


def _might_cover(card: EyeCard, domain_spec: DomainSpec, problem: Problem) -> bool:
    """Return False if a task is plainly of another domain: huge ones are not looked at any further."""
    seen = {p.name for p in problem.domain.predicates if domain_spec.perception(p.name) is Perception.VISION}
    return bool(seen & set(card.predicates)) and _knows_things(card, problem)


def _knows_things(card: EyeCard, problem: Problem) -> bool:
    words = {object_word(thing.name) for thing in problem.all_objects}
    return len(words - set(card.objects)) < len(words) / 2


def vision_atoms(domain_spec: DomainSpec, problem: Problem) -> tuple[Atom, ...]:
    """Return every vision atom in a precondition or an effect of a step, sorted."""
    shown = shown_atoms(domain_spec, problem)
    return tuple(atom for atom in shown if domain_spec.perception(atom.predicate) is Perception.VISION)


def shown_atoms(domain_spec: DomainSpec, problem: Problem) -> tuple[Atom, ...]:
    """Return the same with what is asked about on demand: all that an eye learns."""
    found: set[Atom] = set()
    for action in problem.domain.actions:
        for args in combinations([problem.of_type(p.type) for p in action.parameters]):
            step = Step(action.name, args)
            found |= semantics.touched(problem, step, always=True)
            found.update(c.atom for c in semantics.preconditions(problem, step))
    return tuple(sorted(a for a in found if _is_seen(domain_spec, a)))


def _is_seen(domain_spec: DomainSpec, atom: Atom) -> bool:
    return domain_spec.perception(atom.predicate) in SHOWN and len(set(atom.args)) == len(atom.args)


ASK_NOTHING = frozenset(("classical", "vlm-planner", "cowp", "progprompt", "inner-monologue", "lmzsp"))
ASK_NOTHING |= {"ek", "cw"}
MOST_STEPS = 20_000  # beyond this the questions are not counted one by one
MOST_NAMES = 5
REMEDY = "Correct the belief where it matters, or choose another answerer."


def doubt_of_eyes(
    own: str | None, domain_spec: DomainSpec, problem: Problem, robot: str, method: str, pictures: bool = True
) -> str:
    """Return `gap_sentence` of the eyes that an episode would use, `own` or those found; "" if there is none,
    or a folder cannot be read, which is said when the episode is made.
    """
    with suppress(BadFile):
        cards = [read_card(folder) for folder in ((Path(own),) if own else folders_for(problem))]
        return gap_sentence(cards, domain_spec, problem, robot, method, pictures)
    return ""


def gap_sentence(
    cards: Sequence[EyeCard],
    domain_spec: DomainSpec,
    problem: Problem,
    robot: str,
    method: str,
    pictures: bool,
) -> str:
    """Return which of an episode's questions none of these eyes can answer, and which eye errs too often."""
    seen = {p.name for p in problem.domain.predicates if domain_spec.perception(p.name) is Perception.VISION}
    if method in ASK_NOTHING or not seen:
        return ""
    if not pictures:
        return f"There are no pictures, so the eye can answer nothing: every question stays unknown. {REMEDY}"
    if method in ABOUT_STEPS:
        return f"No eye answers questions about steps, as {method} asks: they all stay unknown. {REMEDY}"
    gap = ""
    robots = sorted({name for card in cards for name in card.robots})
    if untrained := _untrained(cards, domain_spec, problem, seen):
        gap = f"The eye was not trained on {untrained}: these stay unknown. {REMEDY}"
    elif robots and robot not in robots:
        those = ", ".join(robots)
        gap = f"The eye was trained on pictures of {those}, not of {robot}: it may answer nothing. {REMEDY}"
    errs = next(filter(None, (doubts(card) for card in cards if seen & set(card.predicates))), "")
    return " ".join(filter(None, (gap, errs)))


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
