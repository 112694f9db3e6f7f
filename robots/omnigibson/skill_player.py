"""The paper's skills as calls of the simulator, once the world has decided what happens in them.

A liquid stays behind when its vessel is teleported. It is therefore taken out while the vessel is held, and
put back where the vessel is put down; in between the world's fact stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

from robots.kitchen.household.objects import HouseholdObjects
from robots.kitchen.household.state import HouseholdState, HouseholdTransition, in_view
from robots.omnigibson.observed_facts import Box, liquids, relation
from robots.omnigibson.simulator import (
    LOOK_AHEAD,
    Simulator,
    ViewingPose,
    sample_floor_points,
    sample_poses_around,
    sample_poses_on_floor,
)

SETTLE = 30  # steps after which what was put down lies still, 1 s
TAP_STEPS = 40  # that the tap runs
HEAT_STEPS, HEAT_CHUNK = 1200, 60  # with the data of bddl 3.5 a mug takes 1,090 steps to be hot
PLACES, LOOKS = 200, 24  # places tried on the map, and looked from, for one find
ASIDE = (1.0, 0.7, 1.3, 1.6, 0.4)  # of the angle of a look from elsewhere, in the order of trying
CLUTTER_LOOKS = 8  # of those that must show nothing but what is looked for
_BESIDE = 40


class CannotPlay(Exception):
    """The simulator cannot do it; the message says why, with the task's names of things."""


class SkillPlayer:
    """Moves robot and things in the simulator. Raises SimulationHalted, CannotPlay and RobotError."""

    def __init__(
        self, simulator: Simulator, things: HouseholdObjects, rooms: dict[str, str], seed: int
    ) -> None:
        self.simulator, self.things = simulator, things
        self._rooms, self._seed = rooms, seed
        self._visits: Counter[str] = Counter()
        self.committed = False
        pose = simulator.ask("robot_pose")
        self._height = pose["position"][2]
        self._eye_height = pose["eye"][2]
        self.pose = ViewingPose(pose["position"][0], pose["position"][1], 0.0, 0.0)

    def play(self, transition: HouseholdTransition) -> None:
        """Do what happened. What went wrong without a trace is not played at all."""
        self.committed = False
        args = transition.attempt_key[1:]
        for name in args:
            if not self.simulator.activity.theirs(name):
                raise CannotPlay(f"there is no {name} in OmniGibson's {self.simulator.activity.name}")
        if transition.skill == "find":
            self._find(transition)
        elif not transition.replaces_effect:
            plays: dict[str, Callable[..., None]] = {
                "grasp": self._grasp,
                "placein": self._place,
                "placeon": self._place,
                "fillsink": self._run_tap,
                "fill": self._fill,
                "open": lambda _, name: self._set_door(name, True),
                "close": lambda _, name: self._set_door(name, False),
                "turnon": self._turn_on,
                "cut": self._cut,
            }
            plays[transition.skill](transition.after, *args)
        if transition.dropped:
            self._drop(transition.dropped[0])
        self.committed = True

    # --- going and looking ---------------------------------------------------------------------------

    def _find(self, transition: HouseholdTransition) -> None:
        if not transition.reached_target:
            return
        after = transition.after
        self._go_to(self._visible_for(after.near, after), after, in_sight=bool(after.focus))

    def _visible_for(self, target: str, state: HouseholdState) -> str:
        """Return what can be looked at to look at the target: behind a closed door, the furniture."""
        place = state.places.get(target, "")
        return place if place in self.things.openables and state.holds("closed", place) else target

    def step_aside(self, state: HouseholdState, angle: float) -> None:
        """Move by about this angle (rad) around what the robot looks at, to where that may be visible.

        The same look from the same place is from the same pose. Raises CannotPlay.
        """
        target, here = self._visible_for(state.focus, state), self.pose
        name, box = self._placed(target)
        floors = self.things.floors.values()
        centre = (*here.ahead(LOOK_AHEAD), box.high[2]) if target in floors else box.centre
        poses = [here.around(centre, angle * part, self._eye_height) for part in ASIDE]
        found = self.simulator.spots([(here.x, here.y), *((s.x, s.y) for s in poses)])
        free = [s for s, (clear, room) in zip(poses, found[1:], strict=True) if clear and room == found[0][1]]
        for pose in free:
            self.move(pose)
            if name in self.simulator.shown():
                return
        if not free:
            raise CannotPlay(f"no free place beside the robot from which {target} could be seen")
        self.move(free[0])

    def _placed(self, target: str) -> tuple[str, Box]:
        """Return the simulator's name of a thing, and its box. Raises CannotPlay if it is nowhere."""
        name = self.simulator.name(target)
        box = self.simulator.read((), [name]).boxes.get(name)
        if box is None:
            raise CannotPlay(f"{target} is nowhere")
        return name, box

    def _go_to(self, target: str, state: HouseholdState, in_sight: bool) -> None:
        """Move to where the target is in the picture, or out of it if it must not be seen."""
        wanted = {self.simulator.name(target)}
        always = self.things.floors.values()  # in every picture
        expected = {self.simulator.activity.theirs(name) for name in (*in_view(self.things, state), *always)}
        looked, best = 0, None
        for pose in self._free_poses(target):
            self.move(pose)
            if not in_sight:
                pose = pose.turned(pose.yaw + 2.2, pose.tilt)
                self.move(pose)
            shown = self.simulator.shown()
            looked += 1
            if in_sight and wanted <= shown:
                best = pose
                clutter = shown - expected
                if not clutter or looked >= CLUTTER_LOOKS:
                    return
            elif not in_sight and not wanted & shown:
                return
            if looked >= (CLUTTER_LOOKS if best else LOOKS):
                break
        if best is None:
            why = "no free place" if not looked else f"none of {looked} free places"
            raise CannotPlay(f"{why} near {target} shows it")
        self.move(best)

    def _free_poses(self, target: str) -> Iterator[ViewingPose]:
        name, box = self._placed(target)
        rng = Random(f"{self._seed} {target} {self._visits[target]}")
        self._visits[target] += 1
        if target in self.things.floors.values():
            poses = list(sample_poses_on_floor(box.low, box.high, self._eye_height, rng, PLACES))
        else:
            poses = list(sample_poses_around(box.centre, self._eye_height, rng, PLACES))
        found = self.simulator.spots([box.centre[:2], *((s.x, s.y) for s in poses)])
        room = self._rooms.get(name) or found[0][1]
        for pose, (free, where) in zip(poses, found[1:], strict=True):
            if free and (not room or where == room):
                yield pose

    def move(self, pose: ViewingPose) -> None:
        self.simulator.move_base(pose, self._height)
        self.pose = pose

    # --- the hand --------------------------------------------------------------------------------------

    def _grasp(self, state: HouseholdState, thing: str) -> None:
        self._take_out_liquid(thing)
        name = self._present(thing)
        held = self._attach(name)
        self.committed = True
        if held != name:
            raise CannotPlay(f"the hand does not hold {thing}")
        self.simulator.step(SETTLE // 3)

    def _attach(self, name: str) -> str:
        """Put a thing into the hand. Return what is held then."""
        return str(self.simulator.do("attach", name=name, may_park=True)["held"])

    def _present(self, thing: str) -> str:
        """Return the simulator's name of a thing, or of one of its halves."""
        name, halves = self.simulator.name(thing), self.simulator.activity.halves
        there = self.simulator.read((), [name, *halves]).boxes
        return name if name in there or not halves else next((h for h in halves if h in there), name)

    def _place(self, state: HouseholdState, thing: str, place: str) -> None:
        name = self._present(thing)
        self.simulator.do("detach")
        self.committed = True
        if place in self.things.floors.values():
            self._put_beside(name, behind=False)
            box = self.simulator.read((), [name]).boxes[name]
            self.move(self.pose.facing(box.centre, self._eye_height))
        else:
            if not self.put(name, relation(self.things, place), place):
                self._put_beside(name, behind=True)
                raise CannotPlay(f"OmniGibson finds no room for {thing} at {place}")
            self.simulator.step(SETTLE)
        self._put_back_liquid(state, thing)

    def put(self, name: str, state: str, place: str) -> bool:
        """Put a thing where OmniGibson finds room for it. Return whether it did."""
        return bool(self.simulator.do("sample", name=name, relation=state, other=self.simulator.name(place)))

    def _drop(self, thing: str) -> None:
        name = self._present(thing)
        self._take_out_liquid(thing)
        self.simulator.do("detach")
        self.committed = True
        self._put_beside(name, behind=True)

    def _put_beside(self, name: str, behind: bool) -> None:
        rng = Random(f"{self._seed} {name} {self._visits[name]}")
        self._visits[name] += 1
        points = list(sample_floor_points(self.pose, rng, _BESIDE, behind))
        found = self.simulator.spots([(self.pose.x, self.pose.y), *points])
        here = found[0][1]
        free = (p for p, (clear, room) in zip(points, found[1:], strict=True) if clear and room == here)
        x, y = next(free, (self.pose.x, self.pose.y - 0.6))
        self.simulator.do("teleport", name=name, position=[x, y, self._height + 0.5], orientation=None)
        self.simulator.step(SETTLE * 5 // 3)

    # --- liquids, doors, heat, knives --------------------------------------------------------------------

    def _take_out_liquid(self, thing: str) -> None:
        name, activity = self.simulator.name(thing), self.simulator.activity
        kinds = [
            k
            for liq in liquids(self.things)
            for k in (activity.theirs(liq), activity.boiled.get(liq, ""))
            if k
        ]
        asked = [("Contains", name, kind) for kind in kinds]
        for question, contains in self.simulator.read(asked, []).values.items():
            if contains:
                self.simulator.do("empty", name=name, liquid=question[2])

    def _put_back_liquid(self, state: HouseholdState, thing: str) -> None:
        for liquid in liquids(self.things):
            if state.holds("filled", thing, liquid):
                kind = self.simulator.name(liquid)
                if state.holds("cooked", liquid):
                    kind = self.simulator.activity.boiled.get(liquid, kind)
                self.simulator.do("fill", name=self.simulator.name(thing), liquid=kind)
                self.simulator.step(SETTLE // 3)

    def _run_tap(self, state: HouseholdState, sink: str) -> None:
        if not self.set_state(sink, "ToggledOn", True):
            raise CannotPlay(f"OmniGibson does not turn on {sink}")
        self.committed = True
        self.simulator.step(TAP_STEPS)
        self.set_state(sink, "ToggledOn", False)

    def set_state(self, thing: str, state: str, value: bool) -> bool:
        return bool(self.simulator.do("set_state", name=self.simulator.name(thing), state=state, value=value))

    def _fill(self, state: HouseholdState, thing: str, sink: str) -> None:
        """Put the vessel into the sink, fill it, check that it is full, and pick it up again."""
        poured = [liquid for liquid in liquids(self.things) if state.holds("filled", thing, liquid)]
        if not poured:
            return
        name = self.simulator.name(thing)
        self.simulator.do("detach")
        self.committed = True
        if not self.put(name, "OnTop", sink):
            self._attach(name)
            raise CannotPlay(f"OmniGibson finds no room for {thing} in {sink}")
        self.simulator.step(SETTLE)
        self._put_back_liquid(state, thing)
        asked = [("Filled", name, self.simulator.name(liquid)) for liquid in poured]
        full = all(value is not False for value in self.simulator.read(asked, []).values.values())
        self._take_out_liquid(thing)
        self._attach(name)
        if not full:
            raise CannotPlay(f"OmniGibson does not fill {thing}")

    def _set_door(self, name: str, is_open: bool) -> None:
        moved = self.set_state(name, "Open", is_open)
        self.committed = True
        if not moved:
            raise CannotPlay(f"the door of {name} does not move")
        self.simulator.step(SETTLE // 3)

    def _turn_on(self, state: HouseholdState, device: str) -> None:
        """Turn it on, if the world has it run, and wait until what is inside is as hot as it should be."""
        if not state.holds("turnedon", device):
            return
        if not self.set_state(device, "ToggledOn", True):
            raise CannotPlay(f"OmniGibson does not turn on {device}")
        self.committed = True
        waiting = self._awaited(state, device)
        for _ in range(HEAT_STEPS // HEAT_CHUNK if waiting else 1):
            self.simulator.step(HEAT_CHUNK if waiting else SETTLE // 3)
            if all(self.simulator.read(waiting, []).values.values()):
                return

    def _awaited(self, state: HouseholdState, device: str) -> list[tuple[str, ...]]:
        """Return the object states that hold once everything inside is hot or boiled."""
        activity = self.simulator.activity
        awaited: list[tuple[str, ...]] = []
        for thing in (m for m, place in state.places.items() if place == device):
            name = activity.theirs(thing)
            if state.holds("hot", thing):
                awaited.append(("Heated", name))
            for liquid, boiled in activity.boiled.items():
                if state.holds("filled", thing, liquid) and state.holds("cooked", liquid):
                    awaited.append(("Filled", name, boiled))
        return awaited

    def _cut(self, state: HouseholdState, knife: str, thing: str) -> None:
        name = self.simulator.name(thing)
        if not self.simulator.read((), [name]).boxes:
            return  # cut already
        was_active = self.simulator.do("cut", name=name)
        self.committed = True
        if not was_active:
            raise CannotPlay(f"OmniGibson's rule for slicing does not apply to {thing}")
        self.simulator.step(SETTLE // 3)
