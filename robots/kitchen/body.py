"""The body shows what the world decided: it stands where the facts have it, and plays how they came about.

The world is the truth. Where geometry and facts should part (something rolled off), the facts win: the
thing is put where it belongs, and `repairs` counts it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from core.cancel import Cancel
from core.ports import BoundingBox
from robots.halting import Latch
from robots.kitchen import skills
from robots.kitchen.actor import Actor
from robots.kitchen.arm import Joints, Stance, stance_of
from robots.kitchen.build import Built, stream
from robots.kitchen.eyes import Pose
from robots.kitchen.falling import fall_to_the_end
from robots.kitchen.floorplan import FloorPlan
from robots.kitchen.happening import Happening
from robots.kitchen.looking import away_from, floor_bodies, wish_for
from robots.kitchen.pace import Clock, Halted
from robots.kitchen.placing import Placer
from robots.kitchen.reading import Reading
from robots.kitchen.sight import Sight
from robots.kitchen.stage import Snapshot, Stage
from robots.kitchen.standing import Wish, choose
from robots.kitchen.starting import first_stance
from robots.kitchen.world_state import State, in_view
from robots.kitchen.world_things import Things

_ASIDE = 12.0  # degrees that a place beside may be off


@dataclass(frozen=True)
class Played:
    """`happened`: the moment at which the facts change was reached. Without it nothing has changed.

    `remark`: what a person should know of how it was shown, with the task's names of things; "" for nothing.
    """

    halted: bool
    happened: bool
    state: State
    remark: str = ""


class Body:
    """Not for several threads; only `snapshot` may be read by others."""

    def __init__(self, built: Built, things: Things, latch: Latch, pace: float = 0.0) -> None:
        self.built, self.things = built, things
        self.stage = Stage(built)
        self.sight = Sight(self.stage)
        self.reading = Reading(self.stage, self.sight)
        self.clock = Clock(pace, latch, self.stage.publish)
        self.actor = Actor(self.stage, self.clock)
        self.placer = Placer(self.stage, self.sight, self.reading)
        self.repairs = 0
        self.partly: frozenset[str] = frozenset()  # hold a little of what they should be full of
        self._times: Counter[str] = Counter()
        self._commit = False
        self._remark = ""

    @property
    def snapshot(self) -> Snapshot:
        """What there is to see now; any thread."""
        return self.stage.published

    @property
    def eye(self) -> Pose:
        """The eye's pose: its height is fixed, so the base and the head's pitch say it all."""
        stance = self.actor.stance
        return stance.x, stance.y, stance.yaw, stance.pitch

    # --- showing ------------------------------------------------------------------------------------

    def begin(self, state: State) -> None:
        """Everything to its place at the start of an episode."""
        for extra in self.built.cast.extras:
            rng = stream(self.built.seed, extra.name)
            at, yaw, lying = next(self.placer.on(extra.name, extra.on, (extra.spot,), rng))
            self.placer.stand(extra.name, at, yaw, lying)
        self.stage.update()
        self.settle_facts(state)
        self.actor.take(self._first_stance(state))
        self.show(state)
        self.repairs = 0

    def show(self, state: State) -> None:
        """At once, as the facts have it; what agrees already stays as it is."""
        self.settle_facts(state)
        if not self.sees(state):
            self.actor.take(self.stance_for(state))
        self.stage.publish()

    def settle_facts(self, state: State) -> None:
        """Looks, doors, the hand, places."""
        self.show_looks(state)
        for name, kind in self.built.cast.furniture.items():
            if kind in self.stage.open_angle and self.reading.closed(name) != state.holds("closed", name):
                self.stage.swing(kind, 0.0 if state.holds("closed", name) else 1.0)
                self.repairs += 1
        if self.actor.held != state.held:
            self.actor.let_go()
            if state.held:
                self.actor.hold(state.held)
            self.repairs += 1
        self.stage.update()
        for name, place in state.places.items():
            if self.reading.place(name, self.actor.held) != place and name != state.held:
                self.placer.put(name, place, self.built.seed)
                self.repairs += 1
        self.stage.update()

    def show_looks(self, state: State) -> None:
        for name, kind in self.built.cast.furniture.items():
            on = {"turnedon"} if state.holds("turnedon", name) else set()
            if any(f.predicate == "filledsink" and f.args[0] == name for f in state.facts):
                on |= {"filledsink", "running"}
            self.stage.show(kind, on)
        for name in self.built.cast.things:
            on = {p for p in ("hot", "frozen", "halved") if state.holds(p, name)}
            liquids = [f.args[1] for f in state.facts if f.predicate == "filled" and f.args[0] == name]
            if liquids:
                on |= {"filled"} | {"cooked" for w in liquids if state.holds("cooked", w)}
            elif name in self.partly:
                on.add("partly")
            self.stage.show(name, on)
            if len(self.built.bodies[name]) > 1 and self.stage.whole(name) == ("halved" in on):
                at = self.sight.points(name)
                self.stage.join(name, "halved" not in on)
                middle = (at.min(0) + at.max(0)) / 2
                self.placer.stand(name, middle * (1, 1, 0) + (0, 0, at[:, 2].min()), 0.0)
                self.stage.update()

    # --- looking ------------------------------------------------------------------------------------

    def sees(self, state: State) -> bool:
        """Whether the eye has before it what it shall, and nothing that it shall not."""
        shall = in_view(self.things, state)
        return all(map(self.reading.in_view, shall)) and all(
            map(self.reading.out_of_view, away_from(self.things, state))
        )

    def stance_for(self, state: State) -> Stance:
        """Where to stand for a state; the robot stays where it is. Each call gives another stance."""
        goal = state.focus or f"past {state.near}"
        rng = stream(self.built.seed, f"stand for {goal} {self._times[goal]}")
        self._times[goal] += 1
        return self._chosen(state, self._wish(state), rng)

    def stance_beside(self, state: State, degrees: float, name: str) -> Stance:
        """Where to stand to look at the same from so far round it; the same place for the same name."""
        wish, here = self._wish(state), self.actor.stance
        now = math.degrees(math.atan2(here.y - wish.aim[1], here.x - wish.aim[0]))
        wish = replace(wish, towards=now + degrees, spread=_ASIDE)
        return self._chosen(state, wish, stream(self.built.seed, f"look {name}"))

    def _wish(self, state: State) -> Wish:
        return wish_for(self.built, self.things, self.reading, self.sight, state, self._room(state))

    def _chosen(self, state: State, wish: Wish, rng: np.random.Generator) -> Stance:
        saved = self.stage.joints
        kind = self.built.cast.furniture.get(state.focus, "")
        was = self.stage.door(kind) if kind in self.stage.open_angle else None
        if was is not None:  # leave room for its door
            self.stage.swing(kind, 1.0)
            self.stage.update()
        plan = self.plan()
        if was is not None:
            self.stage.swing(kind, was)
        found = choose(wish, self.actor.arm, plan, self.sight, self.actor.take, rng)
        self.actor.be(saved)
        return found.stance if found else self.actor.stance

    def _first_stance(self, state: State) -> Stance:
        return first_stance(
            self.built,
            self._room(state),
            self.actor.arm,
            self.plan(),
            self.sight,
            self.reading,
            self.actor.take,
        )

    def boxes(self) -> tuple[BoundingBox, ...]:
        """Of everything that the eye has some of before it."""
        names = [n for n in sorted(self.sight.names) if self.sight.share(n) > 0.03]
        return self.sight.boxes(names)

    def plan(self) -> FloorPlan:
        return FloorPlan(self.stage, self.built.scene.robot.footprint, floor_bodies(self.built, self.sight))

    def go(self, stance: Stance) -> None:
        lows, highs = zip(*(room.free for room in self.built.scene.rooms.values()), strict=True)
        low = (min(x for x, _ in lows), min(y for _, y in lows))
        high = (max(x for x, _ in highs), max(y for _, y in highs))
        self.actor.travel(stance, self.plan(), (low, high))

    def _room(self, state: State) -> str:
        """The scene's room that the robot stands in."""
        return self.built.cast.floors[self.things.floor(state.room)]

    # --- looking from elsewhere ---------------------------------------------------------------------

    def step_aside(self, state: State, degrees: float, name: str, cancel: Cancel) -> None:
        """Drive round what is looked at. Raises Halted."""
        self.clock.under(cancel)
        self.clock.check()
        self.go(self.stance_beside(state, degrees, name))
        self.stage.publish()

    def step_back(self, joints: Joints) -> None:
        """Drive to where it stood, and stand just as it did. Raises Halted."""
        self.clock.check()
        self.go(stance_of(joints))
        self.actor.be(joints)
        self.stage.publish()

    def give_up(self, state: State) -> State:
        """After a halt on the way: what is so now."""
        self.settle_facts(state)
        self.stage.publish()
        return self._where_it_stands(state)

    # --- playing ------------------------------------------------------------------------------------

    def play(self, happening: Happening, cancel: Cancel) -> Played:
        """How the world came from one state to the next; at pace 0 only where it ends."""
        self._commit, self._remark = False, ""
        self.clock.under(cancel)
        try:
            self.clock.check()
            skills.play(self, happening)
            self.commit()
            self.settle_facts(happening.after)
            if not self.sees(happening.after):
                self.go(self.stance_for(happening.after))
            self.stage.publish()
            return Played(False, True, happening.after, self._remark)
        except Halted:
            state = happening.after if self._commit else happening.before
            fall_to_the_end(self.stage, self.actor.carried, self.actor.follow)
            self.settle_facts(state)
            self.stage.publish()
            return Played(True, self._commit, self._where_it_stands(state))

    def _where_it_stands(self, state: State) -> State:
        """A halted robot may stand anywhere, and have nothing in view that it came for."""
        x, y = self.stage.joints[:2]
        for room, floor in self.things.floors.items():
            (x0, y0), (x1, y1) = self.built.scene.rooms[self.built.cast.floors[floor]].area
            if x0 <= x <= x1 and y0 <= y <= y1:
                state = replace(state, room=room)
        if all(map(self.reading.in_view, in_view(self.things, state))):
            return state
        return replace(state, near="", focus="")

    def remark(self, text: str) -> None:
        """Say something of the step that is being played."""
        self._remark = text

    def commit(self) -> None:
        """From here on the facts are the new ones, whatever stops the rest of the motion."""
        self._commit = True

    def at_last(self, change: Callable[[], None]) -> None:
        """A change that makes the facts true."""
        change()
        self.commit()
        self.stage.update()
