"""Follow a wish while it is done: which of its steps are, and whether each put things where it should. Pure.

A step that puts something somewhere has two witnesses: its test, run on the scene as it is seen afterwards,
and an answer to its description. Where they disagree, a person decides; nobody there means that it is not so.
What was poured is tested by where it came to lie, after the pour and whenever the scene is seen again.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from core.belief import Query, QueryTopic, Verdict
from core.motion.frames import scene_bodies
from core.operator import Addressee
from core.planning_model import PlanStatus, Step
from core.policy import GotAnswers, GotPlan, GotScene, Observation, StepDone
from core.ports import StepStatus
from core.scene import Scene, SceneThing
from core.wish import Test, Wish

PLACES = ("place_ontop", "place_upon", "place_inside")
_MOVED_M = 0.025  # what a step may push aside, as it was rehearsed
_GRAIN_M = 0.008
_SHARE_POURED = 0.75  # of what was in a vessel, that has to be where it was poured


@dataclass(frozen=True)
class Progress:
    """`done` steps of the wish are; `open` is the one whose witnesses are heard, and `undone` was not so."""

    done: int = 0
    open: int | None = None
    tested: bool | None = None  # by its test, on the scene as seen
    said: Verdict | None = None  # to its description; None: not asked yet
    undone: int | None = None
    moved: str = ""  # a thing that is elsewhere, though no step was about it
    holds: bool = False  # a thing is in the hand, so that there is no other plan yet
    redone: int = 0  # from which step on, where all are done and the end is not as wished
    most: int = 0  # steps that have ever been done
    scene: Scene | None = None  # as seen last
    kept: frozenset[int] = frozenset()  # steps that the plan need not do again
    lost: str = ""  # what was spilt cannot be poured again: a sentence

    @property
    def disagree(self) -> bool:
        return (self.tested, self.said) in ((True, Verdict.NO), (False, Verdict.YES))


def follow(wish: Wish, seen: Iterable[Observation]) -> Progress:
    """Return how far the wish is after these observations."""
    now, before = Progress(), dict[str, SceneThing]()
    latest, poured = "", set[str]()  # the thing of the latest step, and what has been poured out
    contents = dict[str, set[str]]()  # of each vessel, before it was poured out
    for one in seen:
        if isinstance(one, GotScene):
            if moved := _moved(before, one.scene, latest, poured):
                now = replace(now, moved=moved, undone=_placed(wish, now, moved))
            before = {thing.name: thing for thing in one.scene.things}
            now = replace(now, scene=one.scene)
            now = _poured(wish, now, before, contents)
            if now.done == len(wish.steps):
                now = replace(now, redone=wish.redone_from(scene_bodies(one.scene)))
            for thing in one.scene.things:
                if thing.on and thing.source != "hidden" and not _was_poured(wish, now, thing.on):
                    contents.setdefault(thing.on, set()).add(thing.name)
        if isinstance(one, StepDone):
            latest = one.step.args[0] if one.step.args else ""
            poured |= {latest} if one.step.name == "pour" else set()
            for inside in contents.values():
                inside.discard(latest)
        match one:
            case GotPlan(plan=plan, accepted=True) if plan.status is PlanStatus.FOUND:
                kept = _kept(wish, now)
                first = _past(first_of(wish, now), kept)
                now = Progress(first, lost=now.lost, most=now.most, scene=now.scene, kept=kept)
            case StepDone(step=step, result=result) if result.status is not StepStatus.DONE:
                now = replace(now, open=None)
            case StepDone(step=step):
                labelled = _is_next(wish, now.done, step)
                opened = now.done if labelled and step.name in (*PLACES, "pour") else None
                done = _past(now.done + 1, now.kept) if labelled else now.done
                now = replace(
                    now,
                    done=done,
                    open=opened,
                    tested=None,
                    said=None,
                    holds=step.name not in PLACES,
                    redone=0,
                    most=max(done, now.most),
                )
            case GotScene(scene=scene) if now.open is not None and now.tested is None:
                tests = wish.tests.get(now.open, ())
                if tests and wish.steps[now.open].name in PLACES:
                    bodies = scene_bodies(scene)
                    now = _judged(replace(now, tested=all(test(bodies) for test in tests)), wish)
            case GotAnswers(answers=answers, addressee=by) if now.open is not None and answers:
                if one.queries[0].topic is not QueryTopic.STEP_SUCCEEDED:
                    continue
                if now.disagree and by is Addressee.OPERATOR:
                    so = answers[0].verdict is Verdict.YES
                    now = _closed(now, wrong=not so)
                else:
                    now = _judged(replace(now, said=answers[0].verdict), wish)
    return now


def question(wish: Wish, now: Progress, about: Query) -> tuple[Query, Addressee] | None:
    """Return what to ask about the step just done, and whom. The words of `about` are replaced."""
    if now.open is None:
        return None
    words = _words(wish, now.open)
    if now.disagree:
        what = "passes" if now.tested else "does not pass"
        other = "not so" if now.tested else "so"
        both = f"The scene {what} the test of this step, and the model says it is {other}: {words}. Is it so?"
        return replace(about, text=both), Addressee.OPERATOR
    if now.said is not None or not (words or _unseen(wish, now)):
        return None
    return (replace(about, text=f"Is this so: {words}?") if words else about), Addressee.MODEL


def rest_of(wish: Wish, now: Progress) -> Wish:
    """Return what is left of the wish: from the grasp of what is not where it should be.

    Where all is done, the planner takes what has to be done again, should its end not be as wished.
    """
    if now.done == len(wish.steps) and now.undone is None:
        return replace(wish, done=True, kept=_kept(wish, now))
    return wish.since(first_of(wish, now), _kept(wish, now))


def _kept(wish: Wish, now: Progress) -> frozenset[int]:
    return still_so(wish, first_of(wish, now), now.most, now.scene) if now.scene else frozenset()


def still_so(wish: Wish, first: int, last: int, scene: Scene) -> frozenset[int]:
    """Return which steps need not be done again after that of `first`, of those before `last`.

    These took a thing and put it where it still is, by their tests and by what the scene says it is in, and
    no other step from `first` on moves it, or what the tests speak of. What is in a vessel goes with it,
    unless that is poured out.
    """
    found, bodies = set[int](), scene_bodies(scene)
    within = {thing.name: thing.on for thing in scene.things}
    for number in range(first + 3, last):
        step, tests = wish.steps[number], wish.tests.get(number, ())
        taken = wish.steps[number - 1] == Step("pick", step.args[:1])
        if not (taken and tests and step.name in PLACES):
            continue
        vessel = step.args[1] if step.name == "place_inside" else ""
        spoken = {*step.args}.union(*(getattr(test, "args", ()) for test in tests))
        others = (*wish.steps[first : number - 1], *wish.steps[number + 1 :])
        moved = {one.args[0] for one in others if one.args[0] != vessel or one.name == "pour"}
        there = not vessel or within.get(step.args[0]) == vessel
        if there and not moved & spoken and all(test(bodies) for test in tests):
            found |= {number - 1, number}
    return frozenset(found)


def _past(number: int, kept: Collection[int]) -> int:
    """Return this number, or that of the first step after it which is not kept."""
    while number in kept:
        number += 1
    return number


def first_of(wish: Wish, now: Progress) -> int:
    """Return the number of the step from which to plan again."""
    number = now.done if now.undone is None else now.undone
    return wish.taken_before(number) if number < len(wish.steps) else now.redone


def _moved(before: Mapping[str, SceneThing], scene: Scene, latest: str, poured: Collection[str]) -> str:
    """Return what has moved since the scene before, which the latest step was not about, or "".

    What was in the thing of the latest step goes with it, or falls out; that is no news of what is poured.
    """
    for thing in scene.things:
        was = before.get(thing.name)
        if was is None or thing.name == latest or max(thing.half) < _GRAIN_M:
            continue
        if latest and (thing.on == latest or (was.on == latest and latest in poured)):
            continue
        off = max(abs(a - b) for a, b in zip(was.pose[:3], thing.pose[:3], strict=True))
        if off > _MOVED_M + 2 * thing.spread:
            return thing.name
    return ""


def _placed(wish: Wish, now: Progress, thing: str) -> int | None:
    """Return the latest step done that put a thing somewhere, or what was undone before."""
    done = (n for n in range(now.done - 1, -1, -1) if wish.steps[n].name in PLACES)
    return next((n for n in done if wish.steps[n].args[0] == thing), now.undone)


def _was_poured(wish: Wish, now: Progress, vessel: str) -> bool:
    return any(step.name == "pour" and step.args[0] == vessel for step in wish.steps[: now.done])


def _poured(
    wish: Wish, now: Progress, things: Mapping[str, SceneThing], contents: Mapping[str, set[str]]
) -> Progress:
    """Test each pour that is done, and that no later step was to undo, by where its vessel's contents are."""
    for number, step in enumerate(wish.steps[: now.done]):
        vessel, target = step.args[0], step.args[-1]
        inside = contents.get(vessel, set()) & things.keys()
        later = {one.args[0] for one in wish.steps[number + 1 : now.done] if one.args}
        if step.name != "pour" or not inside or later & {target, *inside}:
            continue
        landed = sum(_has_landed(things[name], vessel, things.get(target)) for name in inside)
        so = landed >= _SHARE_POURED * len(inside)
        if number == now.open:
            now = _judged(replace(now, tested=so), wish)
        if not so:
            now = replace(now, undone=number if now.undone is None else min(number, now.undone))
            if not any(things[name].on == vessel for name in inside):
                where = f"Of what was in the {vessel}, {landed} of {len(inside)} landed in the {target}"
                now = replace(now, lost=f"{where}, and nothing is left in it.")
    return now


def _has_landed(thing: SceneThing, vessel: str, target: SceneThing | None) -> bool:
    if target is None or target.shape == "table":
        return thing.on != vessel
    return thing.on == target.name or all(
        abs(thing.pose[i] - target.pose[i]) <= target.half[i] for i in (0, 1)
    )


def _is_next(wish: Wish, number: int, step: Step) -> bool:
    return number < len(wish.steps) and (step.name, step.args) == (
        wish.steps[number].name,
        wish.steps[number].args,
    )


def _judged(now: Progress, wish: Wish) -> Progress:
    """Close the step where its witnesses leave no doubt; while they may yet disagree, it stays open."""
    asked = _words(wish, now.open or 0) or _unseen(wish, now)
    if now.disagree or (asked and now.said is None):
        return now
    wrong = now.tested is False or (now.tested is None and now.said is Verdict.NO)
    wrong |= _unseen(wish, now) and now.said is not Verdict.YES
    return _closed(now, wrong)


def _closed(now: Progress, wrong: bool) -> Progress:
    """Close the step; what was found undone before it, while it was done, stays so."""
    undone = {now.undone, now.open if wrong else None} - {None, None if wrong else now.open}
    return replace(now, open=None, undone=min((n for n in undone if n is not None), default=None))


def _words(wish: Wish, number: int) -> str:
    return wish.descriptions[number] if wish.descriptions else ""


def _unseen(wish: Wish, now: Progress) -> bool:
    """Return True of a pour whose contents no camera has seen: only an answer says where they are."""
    return now.open is not None and now.tested is None and wish.steps[now.open].name == "pour"


def share_of_likely(scene: Scene, tests: Iterable[Test], worlds: int = 50) -> float:
    """Return the share of scenes, each thing off by up to its spread, that pass all tests."""
    luck, checks = random.Random(0), tuple(tests)

    def off(thing: SceneThing) -> SceneThing:
        x, y, z, *turned = thing.pose
        by = thing.spread
        roll, pitch, yaw = turned
        moved = (x + luck.uniform(-by, by), y + luck.uniform(-by, by), z, roll, pitch, yaw)
        return replace(thing, pose=moved)

    likely = (replace(scene, things=tuple(map(off, scene.things))) for _ in range(worlds))
    return sum(all(test(scene_bodies(one)) for test in checks) for one in likely) / worlds
