"""Find the tasks that an eye can be asked about, and so the default answerer."""

from __future__ import annotations

from pathlib import Path

from core.belief import Atom
from core.domains import SHOWN, DomainSpec, Perception
from core.planning import semantics
from core.planning_model import Problem, Step
from core.vqa.data_files import user_dir
from core.vqa.eye.eye_file import EyeCard, eye_folders, read_card
from core.vqa.eye.questions import object_word, question_key
from core.work import combinations

EYE, PERFECT = "eye", "perfect"
_NOT_ABOUT_FACTS = frozenset(("aff-qa", "suc-qa", "suc-aff-qa", "vlm-planner"))  # methods; no eye knows steps


def default_answerer(
    domain_spec: DomainSpec, problem: Problem, robot: str, *, pictures: bool, real: bool, method: str
) -> str:
    """Return "eye" if an eye was trained on this robot's pictures and all that is asked, else "perfect".

    At a real arm only an eye of the user's own counts: the shipped ones know rendered pictures. Raises
    BadFile for a broken card.
    """
    if not pictures or method in _NOT_ABOUT_FACTS:
        return PERFECT
    own = user_dir("eye")
    cards = [
        card
        for card in map(read_card, _usable(own, real))
        if robot in card.robots and _might_cover(card, domain_spec, problem)
    ]
    known = frozenset(question for card in cards for question in card.questions)
    asked = vision_atoms(domain_spec, problem) if cards else ()
    return EYE if asked and all(question_key(atom) in known for atom in asked) else PERFECT


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
