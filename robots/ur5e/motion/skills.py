"""Pick, place and pour in six dimensions, as the search asks for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from core.motion.frames import Frame, as_frame, frame, rotation, shift
from core.motion.search import Hints, Miss
from core.planning_model import Step
from core.scene import Bodies, Pose, Scene, Shot
from robots.ur5e.arm_setup import ArmLimits
from robots.ur5e.emulator.plant import Plant
from robots.ur5e.emulator.scene import GRAIN, make_scene
from robots.ur5e.kinematics import PARKED, Joints, forward_kinematics, invert_transform
from robots.ur5e.motion.collisions import LIMIT, Collisions, things_of
from robots.ur5e.motion.faults import believed
from robots.ur5e.motion.rehearsal import Rehearsal, as_planned
from robots.ur5e.motion.samplers import (
    Grasp,
    Place,
    draw_grasp,
    draw_place,
    draw_pour,
    is_graspable,
    is_in_room,
    upright_before,
)
from robots.ur5e.motion.situation import UPRIGHT, Move, Poses, Situation, bodies, reaches_into
from robots.ur5e.motion.ways import Free, Ways

_APART_M = 0.09  # that the hand moves straight before and after it grips or lets go
FROM_BELOW = 0.15  # the hand's axis, upwards, from which nothing is put down
_SOLUTIONS = 4  # of the arm for one pose of the hand that are tried
_GRASPS = 40  # draws of a grasp until one comes from above
_QUARTERS = [rotation(0, 0, k * math.pi / 2) for k in range(4)]  # turns of what lies alike after each
_HANDS, _DRAWN = 8, 200  # grasps with which a place is tried, of so many draws at most
_AHEAD = 8  # places for which a grasp is tried before it is taken
_SQUEEZE_M = 0.0012  # by which a thing counts as narrower, so that the pads touch it


Moves = tuple[Move, ...]


@dataclass(frozen=True)
class _Around:
    """What must stay free around the arm: where things are for each pose of its hand, and what it holds."""

    collisions: Collisions
    at: Callable[[Frame], Poses]
    opening: float
    held: Collection[str]
    apart_from: Collection[str]
    level: bool = False  # what is held has to stay upright

    def touched(self, q: Joints, hand: Frame) -> frozenset[str]:
        return self.collisions.touched(self.at(hand), q, self.opening, self.held, self.apart_from)

    def __call__(self, q: Joints, hand: Frame) -> bool:
        poses = self.at(hand)
        if self.level and poses[next(iter(self.held))][2, 2] < UPRIGHT:
            return False
        return not self.collisions.touched(poses, q, self.opening, self.held, self.apart_from)


class TableSkills:
    """The skills over one scene. Draws are repeatable by the scene's own seed and this one. One thread."""

    def __init__(self, scene: Scene, seed: int = 0) -> None:
        """Raises UnknownName, BadFile, BadValue."""
        setting = dict(scene.setting)
        self._table = table = make_scene(setting["scene"], int(setting["seed"]), setting["gripper"])
        self._collisions = Collisions(table, ArmLimits())
        self._rng = np.random.default_rng((seed, int(setting["seed"])))
        self._ways = Ways(self._collisions.tcp, self._rng)
        self._hand = table.gripper
        self._kinds = {thing.name: thing.kind for thing in table.things if thing.kind is not GRAIN} | dict(
            table.marks
        )
        poses = {thing.name: as_frame(thing.pose) for thing in scene.things if thing.shape != "table"}
        self._grains = {n: f for n, f in poses.items() if n not in self._kinds}
        solid = {n: f for n, f in poses.items() if n in self._kinds and self._kinds[n].shape != "mark"}
        inside = {n: vessel for n in solid if (vessel := self._vessel(n, solid))}
        a, b, c, d, e, f = map(float, setting["joints"].split(",")) if "joints" in setting else PARKED
        q, held = (a, b, c, d, e, f), setting.get("held", "")
        hand = forward_kinematics(q, self._collisions.tcp)
        self._start = Situation(
            q,
            {n: f for n, f in poses.items() if n in self._kinds},
            self._kinds,
            inside,
            held,
            invert_transform(poses[held]) @ hand if held else None,
            self._closed(min(self._kinds[held].half)) if held else 0.0,
            full=frozenset(n for n, kind in self._kinds.items() if kind.grains),
        )
        self._rehearsal: Rehearsal | None = None
        self._spread = max((t.spread for t in scene.things if t.source != "hidden"), default=0.0)
        self._parks = "parks" in setting  # after each place, so that a camera sees it

    def _vessel(self, name: str, poses: Poses) -> str:
        """Return what a thing is in, or reaches into."""
        kind = self._kinds[name]
        vessels = (n for n in poses if n != name and self._kinds[n].is_open)
        return next((v for v in vessels if reaches_into(kind, poses[name], poses[v], self._kinds[v])), "")

    def start(self) -> Situation:
        return self._start

    def elsewhere(self) -> Situation:
        poses, kinds = self._start.poses, {n: k for n, k in self._kinds.items() if k.shape != "mark"}
        loose = {name: pose for name, pose in poses.items() if name in kinds and name != self._start.held}
        moved = believed(loose, kinds, 1000 * self._spread, self._rng)
        return replace(self._start, poses={**poses, **moved})

    def movable(self, name: str) -> bool:
        return name in self._kinds and is_graspable(self._kinds[name], self._hand)

    # --- draws ---------------------------------------------------------------------------------------------

    def draw(self, node: Situation, step: Step, hints: Hints) -> Grasp | Place | None:
        name, target = step.args[0], step.args[-1]
        if step.name == "pick":
            return self._draw_grasp(node, name, hints.following, hints.ahead)
        if step.name == "pour":
            return draw_pour(node, name, target, self._rng)
        inside = step.name == "place_inside"
        return draw_place(node, name, target, inside, hints.near, hints.passed, self._rng, self._spread)

    def _draw_grasp(
        self, node: Situation, name: str, following: Step | None, ahead: Sequence[Place] = ()
    ) -> Grasp | None:
        """Return a grasp from above; one with which the hand can also put the thing where it has to go.

        `ahead`: where it has been tried to be put.
        """
        if not self.movable(name):
            return None
        found = (
            draw_grasp(node.kinds[name], node.poses[name], self._hand, self._rng) for _ in range(_GRASPS)
        )
        grasps = (grasp for grasp in found if grasp is not None)
        if following is None or (following.name not in ("place_inside", "pour") and not ahead):
            return next(grasps, None)
        return next((grasp for grasp in grasps if self._fits(node, name, grasp, following, ahead)), None)

    def _fits(self, node: Situation, name: str, grasp: Grasp, step: Step, ahead: Sequence[Place]) -> bool:
        """Return True if the hand can bring the thing to some place of the step, the way there apart.

        To be poured, what is full is held by its upper half: fingers press its wall against what is inside.
        """
        if step.name == "pour" and name in node.full and grasp.hand[2, 3] < 0:
            return False
        held = replace(node, held=name, grasp=grasp.hand)
        for _ in range(_AHEAD):
            known = ahead and step.name.startswith("place_") and step.name != "place_inside"
            place = ahead[int(self._rng.integers(len(ahead)))] if known else self.draw(held, step, Hints())
            assert isinstance(place, Place)
            hand = place.pose @ grasp.hand
            if step.name != "pour" and hand[2, 2] > FROM_BELOW:
                continue
            for q in self._collisions.solutions(hand, PARKED)[:2]:
                poses = node.along(name, grasp.hand)(hand)
                found = self._collisions.touched(poses, q, 0.0, node.carried(name), node.loose)
                if not found - (things_of(found) - {step.args[-1]}):  # what else is there may be cleared away
                    return True
        return False

    def drawn(self, node: Situation, step: Step, draw: Grasp | Place) -> Bodies:
        if isinstance(draw, Grasp):
            return node.bodies
        return node.bodies_with(step.args[0], draw.pose)

    # --- attempts ------------------------------------------------------------------------------------------

    def attempt(self, node: Situation, step: Step, draw: Grasp | Place) -> Situation | Miss:
        if isinstance(draw, Grasp):
            return self._pick(node, step.args[0], draw)
        if step.name == "pour":
            return self._pour(node, step.args[0], draw)
        return self._place(node, step, draw)

    def _pick(self, node: Situation, name: str, grasp: Grasp) -> Situation | Miss:
        hand, at = node.poses[name] @ grasp.hand, node.along(name, grasp.hand)
        closed = self._closed(grasp.width)
        coming = _Around(self._collisions, lambda _: node.poses, 0.0, (), node.loose)
        taking = replace(coming, apart_from=(*node.loose, name))
        held = node.carried(name)
        beside = set(node.carried(node.inside.get(name, ""))[1:]) - {name}
        leaning = (self._collisions.leaning(node.poses, held) | beside) - set(node.loose)
        falling = leaning | {n for n in held[1:] if not node.is_within(n, name)}
        lifting = _Around(self._collisions, at, closed, held, (*node.loose, *leaning), node.is_level(name))
        moves = self._solve(
            hand,
            node.q,
            taking,
            lambda q: self._gripping(q, node.q, coming, (_back(hand), taking), 0.0, (_up(hand), lifting)),
        )
        if isinstance(moves, Miss):
            return moves
        inside = {content: c for content, c in node.inside.items() if content != name}
        q = moves[-1][-1]
        after = replace(node, q=q, poses=at(self._hand_at(q)), inside=inside, moves=moves, state=None)
        after = replace(after, held=name, grasp=grasp.hand, opening=closed)
        return replace(after, unsettled=bool(leaning), falling=(node.falling | falling) - {name})

    def _closed(self, width: float) -> float:
        """Return how far each finger has closed around something of half this width."""
        return max(0.0, self._hand.stroke / 2 - width - _SQUEEZE_M)

    def _hand_at(self, q: Joints) -> Frame:
        return forward_kinematics(q, self._collisions.tcp)

    def _place(self, node: Situation, step: Step, place: Place) -> Situation | Miss:
        name, grasp = step.args[0], node.grasp
        assert grasp is not None
        hand, held, at = place.pose @ grasp, node.carried(name), node.along(name, grasp)
        poses = at(hand)
        if touched := self._collisions.touched(poses, None, 0.0, held, node.loose):
            return Miss("collision", things_of(touched))
        if hand[2, 2] > FROM_BELOW:
            return Miss("reach")
        carrying = _Around(self._collisions, at, node.opening, held, node.loose, node.is_level(name))
        apart = _Around(self._collisions, lambda _: poses, 0.0, (), node.loose)
        leaving = replace(apart, apart_from=(*node.loose, *held))

        def moves(q: Joints) -> Moves | frozenset[str]:
            done = self._gripping(
                q, node.q, carrying, (_up(hand), carrying), self._hand.stroke, (_back(hand), leaving)
            )
            if isinstance(done, frozenset) or not self._parks:
                return done
            home = self._ways.around(done[-1][-1], PARKED, apart)
            return (*done, ("free", *home)) if home else frozenset()

        found = self._solve(hand, node.q, replace(apart, held=held), moves)
        if isinstance(found, Miss):
            return found
        into = {name: step.args[1]} if step.name == "place_inside" else {}
        after = replace(node, q=found[-1][-1], poses=poses, inside={**node.inside, **into}, moves=found)
        turned = float(node.poses[name][:3, 2] @ place.pose[:3, 2]) < UPRIGHT
        after = replace(after, held="", grasp=None, opening=0.0, state=None)
        return replace(after, unsettled=turned and len(held) > 1)  # what is in it slides

    def _gripping(
        self,
        q: Joints,
        start: Joints,
        way: Free,
        come: tuple[Frame, Free],
        grip: float,
        go: tuple[Frame, Free],
    ) -> Moves | frozenset[str]:
        """Return the moves that open or close the hand at `q`: the way there, straight to it, and away.

        Where a straight one is not free, what is touched on it.
        """
        coming = self._ways.line(q, *come)
        going = coming and self._ways.line(q, *go)
        if not (coming and going):
            return self._collisions.latest
        if not (found := self._ways.around(start, coming[-1], way)):
            return frozenset()
        return ("free", *found), ("line", *coming[::-1]), ("grip", grip), ("line", *going)

    def _pour(self, node: Situation, name: str, place: Place) -> Situation | Miss:
        grasp = node.grasp
        assert grasp is not None
        at, hand = node.along(name, grasp), place.pose @ grasp
        contents = node.carried(name)[1:]
        carrying = _Around(
            self._collisions, at, node.opening, node.carried(name), node.loose, node.is_level(name)
        )
        tipping = replace(carrying, held=(name,), apart_from=(*node.loose, *contents), level=False)
        if touched := self._collisions.touched(at(hand), None, 0.0, tipping.held, tipping.apart_from):
            return Miss("collision", things_of(touched))

        def moves(q: Joints) -> Moves | frozenset[str]:
            tip = self._ways.line(q, hand, tipping, 0.015)
            way = tip and self._ways.around(node.q, q, carrying)
            if not (tip and way):
                return frozenset()
            return ("free", *way), ("line", *tip), ("wait", 0.8), ("line", *tip[::-1])

        found = self._solve(upright_before(place, node.kinds[name]) @ grasp, node.q, carrying, moves)
        if isinstance(found, Miss):
            return found
        q, inside = found[-1][-1], {content: c for content, c in node.inside.items() if c != name}
        after = replace(node, q=q, poses=at(self._hand_at(q)), inside=inside, moves=found, state=None)
        loose = (*node.loose, *contents)
        return replace(after, loose=loose, full=node.full - {name}, unsettled=False)

    def _solve(
        self, hand: Frame, near: Joints, there: _Around, moves: Callable[[Joints], Moves | frozenset[str]]
    ) -> Moves | Miss:
        """Return the moves by the first of the arm's solutions for `hand` that has them.

        `moves` says what is in the way where a solution has none.
        """
        touched: set[str] = set()
        free = False
        for q in self._collisions.solutions(hand, near)[:_SOLUTIONS]:
            if found := there.touched(q, hand):
                touched |= found
            elif isinstance(done := moves(q), frozenset):
                touched, free = touched | done, True
            else:
                return done
        if free:
            return Miss("way", things_of(touched))
        return Miss("collision", things_of(touched)) if touched - {LIMIT} else Miss("reach")

    def hindrances(self, name: str, poses: Sequence[Pose], on_table: bool) -> tuple[str, ...]:
        """Return what hinders the thing from being put at each of these poses by the hand, or "": what it
        would touch, or that it is out of reach. The ways there are not looked for.

        What goes `on_table` is put only where a place is ever drawn.
        """
        node, held = self._start, self._start.carried(name)
        drawn = (self._draw_grasp(node, name, None) for _ in range(_DRAWN))
        grasps = (grasp.hand for grasp in drawn if grasp is not None)
        fit = (g for g in grasps if not all(self._touches(node, node.poses[name] @ g, held)))
        hands = list(islice(fit, _HANDS))
        return tuple(
            "nothing is put so far out"
            if on_table and not is_in_room(pose[0], pose[1])
            else self._hindrance(node, name, held, as_frame(pose), hands)
            for pose in poses
        )

    def _hindrance(
        self, node: Situation, name: str, held: Collection[str], at: Frame, hands: Sequence[Frame]
    ) -> str:
        if touched := self._collisions.touched({**node.poses, name: at}, None, 0.0, held):
            return f"it touches {', '.join(sorted(touched))}"
        in_the_way, there = set[str](), replace(node, poses={**node.poses, name: at})
        turns = _QUARTERS if node.kinds[name].shape == "ball" else _QUARTERS[:1]
        for turned in (frame(turn @ at[:3, :3], at[:3, 3]) for turn in turns):
            for found in (one for grasp in hands for one in self._touches(there, turned @ grasp, held)):
                if not found:
                    return ""
                in_the_way |= things_of(found)
        return f"the hand touches {', '.join(sorted(in_the_way))}" if in_the_way else "out of the arm's reach"

    def _touches(self, node: Situation, hand: Frame, held: Collection[str]) -> Iterator[frozenset[str]]:
        """Yield what the arm would touch with its hand there, in each of two postures."""
        for q in self._collisions.solutions(hand, node.q)[:2] if hand[2, 2] <= FROM_BELOW else ():
            yield self._collisions.touched(node.poses, q, 0.0, held)

    # --- physics -------------------------------------------------------------------------------------------

    def rehearse(self, before: Situation, after: Situation, step: Step) -> Situation | str:
        if self._rehearsal is None:
            self._rehearsal = Rehearsal(self._table, self._collisions.tcp)
        return self._rehearsal.rehearse(before, after, step, self._grains)

    def film(self, steps: Sequence[Step]) -> tuple[tuple[Shot, ...], ...]:
        """Return what the steps, which have their moves, look like ten times a second, step by step."""
        shots: list[Shot] = []

        def take(plant: Plant) -> None:
            data = plant.data
            joints = [*(data.body(f"link{i}").xpos for i in range(6)), data.site("tcp").xpos]
            arm = tuple((float(x), float(y), float(z)) for x, y, z in joints)
            shots.append(Shot(bodies({**self._start.poses, **physics.poses()}, self._kinds), arm))

        physics = Rehearsal(self._table, self._collisions.tcp, take)
        physics.begin({**self._start.poses, **self._grains}, self._start.q)
        films = []
        for step in steps:
            shots.clear()
            physics.carry_out(step.values["moves"])  # type: ignore[arg-type]
            films.append((*shots[::2], shots[-1]))
        return tuple(films)

    def as_planned(self, planned: Situation, came: Situation) -> bool:
        round_ = [name for name, kind in self._kinds.items() if kind.shape == "ball"]
        return not planned.loose and as_planned(planned.poses, came.poses, round_)


def _back(hand: Frame) -> Frame:
    return np.asarray(hand @ shift(0, 0, -_APART_M))


def _up(hand: Frame) -> Frame:
    return np.asarray(shift(0, 0, _APART_M) @ hand)
