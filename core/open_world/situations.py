"""Situations of a domain's open world: drawn at random, or understood from a person's sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from core.domains import DomainSpec
from core.open_world.world_file import OpenSituation, OpenWorldFile
from core.planning_model import Problem

_WORD = r"(?<![\w-]){}(?![\w-])"


def uniform_random(*parts: object) -> float:
    """Return a pseudorandom number in [0, 1) that depends on these parts only."""
    digest = blake2b("\n".join(map(str, parts)).encode(), digest_size=7).digest()
    return int.from_bytes(digest) / 2**56


def random_half(things: Sequence[str], *seed: object) -> tuple[str, ...]:
    """Return a random half of these things, in their order."""
    drawn = sorted(things, key=lambda thing: uniform_random(*seed, thing))[: len(things) // 2]
    return tuple(thing for thing in things if thing in frozenset(drawn))


def task_situations(world: OpenWorldFile, task: str) -> tuple[OpenSituation, ...]:
    rows = world.tasks[task].situations if task in world.tasks else ()
    return tuple(OpenSituation(sentence, thing, kind, action) for action, thing, kind, sentence in rows)


def draw_situation(
    world: OpenWorldFile, situations: Sequence[OpenSituation], every: Sequence[OpenSituation], luck: float
) -> OpenSituation | None:
    """Return one of `situations`; each kind has its weight, shared by those of its kind in `every`."""
    weights = [world.kinds[s.kind].weight / sum(o.kind == s.kind for o in every) for s in situations]
    left = luck * sum(weights)
    for situation, weight in zip(situations, weights, strict=True):
        left -= weight
        if left < 0:
            return situation
    return None


def interpret_situation(
    world: OpenWorldFile, domain_spec: DomainSpec, problem: Problem, task: str, sentence: str
) -> OpenSituation:
    """Return what a sentence says about the true world; its kind is "" if it changes nothing there."""
    known = next((s for s in task_situations(world, task) if s.sentence == sentence), None)
    if known is not None:
        return known
    objects = named_objects(domain_spec, problem, sentence)
    longest = sorted(
        ((w, k) for k, kind in world.kinds.items() for w in kind.words), key=lambda p: -len(p[0])
    )
    kind = next((k for words, k in longest if mentions(sentence, words)), "")
    return OpenSituation(sentence, objects[0] if objects else "", kind)


def named_objects(domain_spec: DomainSpec, problem: Problem, sentence: str) -> tuple[str, ...]:
    """Return the objects that a sentence names, longest name first: by their words, type or own name."""
    found = []
    for thing in problem.all_objects:
        names = {domain_spec.display_name(thing.name), thing.name, thing.type.replace("_", " ")}
        said = [name for name in names if mentions(sentence, name)]
        if said:
            found.append((-max(map(len, said)), thing.name))
    return tuple(name for _, name in sorted(found))


def mentions(text: str, words: str) -> bool:
    return re.search(_WORD.format(re.escape(words.lower())), text.lower()) is not None


def hindrance(world: OpenWorldFile, situation: OpenSituation, action: str, args: Iterable[str]) -> str:
    """Return how a situation hinders a step: "fails", "spoils", or "" if it does not."""
    kind = world.kinds.get(situation.kind)
    if kind is None or kind.effect == "none":
        return ""
    if not situation.object:
        return "fails" if action in (*kind.blocks, situation.action) else ""
    if situation.object not in tuple(args):
        return ""
    if kind.effect == "gone":
        return "fails"
    if action in (*world.harmless, world.repair_skill):
        return ""
    if kind.effect == "spoils":
        return "" if action in world.handling else "spoils"
    return "fails"
