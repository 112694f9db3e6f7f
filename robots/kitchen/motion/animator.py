"""Make the bodies of the simulation follow the facts of the household.

The household is the truth. If geometry and facts disagree (something rolled off), the facts win: the thing is
put where it belongs, and `corrections` counts it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.ports import BoundingBox
from core.stop_token import StopToken
from robots.kitchen.household.body import CameraPose
from robots.kitchen.household.objects import HouseholdObjects
from robots.kitchen.household.state import HouseholdState, in_view
from robots.kitchen.motion.base_poses import SimulatedRobot
from robots.kitchen.scene.builder import CompiledScene, rng_for
from robots.kitchen.simulation.arm_kinematics import BasePose, Joints, base_pose_of
from robots.kitchen.simulation.mj_sim import RenderSnapshot
from robots.kitchen.simulation.placement_sampler import PlacementSampler
from robots.stop_latch import Latch


class Animator(SimulatedRobot):
    """Moves the simulation's bodies. Not thread-safe; other threads may read only `snapshot`."""

    def __init__(
        self, built: CompiledScene, things: HouseholdObjects, latch: Latch, pace: float = 0.0
    ) -> None:
        super().__init__(built, things, latch, pace)
        self.placements = PlacementSampler(self.sim, self.visibility, self.geometry)
        self.corrections = 0
        self.partly_filled: frozenset[str] = frozenset()  # hold only a little of what they should be full of
        self.committed = False  # the facts of the transition that is being played hold by now
        self.last_remark = ""  # what a person should know about the transition that is being played

    @property
    def snapshot(self) -> RenderSnapshot:
        """Return what a picture would show now. Any thread."""
        return self.sim.published

    @property
    def camera_pose(self) -> CameraPose:
        """Return the camera's pose. Its height is fixed, so the base and the head's pitch determine it."""
        base_pose = self.player.base_pose
        return base_pose.x, base_pose.y, base_pose.yaw, base_pose.pitch

    # --- showing ------------------------------------------------------------------------------------

    def reset(self, state: HouseholdState) -> None:
        """Put everything in its place at the start of an episode."""
        for extra in self.built.assignment.distractors:
            rng = rng_for(self.built.seed, extra.name)
            at, yaw, lying = next(self.placements.sample_spots(extra.name, extra.on, (extra.spot,), rng))
            self.placements.place_at(extra.name, at, yaw, lying)
        self.sim.update_kinematics()
        self.enforce_facts(state)
        self.take_initial_pose(state)
        self.show_state(state)
        self.corrections = 0

    def show_state(self, state: HouseholdState) -> None:
        """Show the state at once; what already agrees with the facts stays as it is."""
        self.enforce_facts(state)
        if not self.view_satisfied(state):
            self.player.teleport(self.find_base_pose(state))
        self.sim.publish_snapshot()

    def enforce_facts(self, state: HouseholdState) -> None:
        """Make looks, doors, the hand and all places agree with the facts."""
        self.update_looks(state)
        for name, kind in self.built.assignment.furniture.items():
            if kind in self.sim.max_door_angle and self.geometry.closed(name) != state.holds("closed", name):
                self.sim.set_door_opening(kind, 0.0 if state.holds("closed", name) else 1.0)
                self.corrections += 1
        if self.player.held != state.held:
            self.player.release()
            if state.held:
                self.player.grasp(state.held)
            self.corrections += 1
        self.sim.update_kinematics()
        for name, place in state.places.items():
            if self.geometry.location_of(name, self.player.held) != place and name != state.held:
                self.placements.place_free(name, place, self.built.seed)
                self.corrections += 1
        self.sim.update_kinematics()

    def update_looks(self, state: HouseholdState) -> None:
        for name, kind in self.built.assignment.furniture.items():
            on = {fact.predicate for fact in state.facts if fact.args == (name,)}
            if any(f.predicate == "filledsink" and f.args[0] == name for f in state.facts):
                on |= {"filledsink", "running"}
            if any(place == name and _boils(state, thing) for thing, place in state.places.items()):
                on.add("steaming")
            self.sim.set_looks(kind, on)
        for name in self.built.assignment.things:
            on = {fact.predicate for fact in state.facts if fact.args == (name,)}
            if _liquids(state, name):
                on |= {"filled"} | ({"cooked"} if _boils(state, name) else set())
            elif name in self.partly_filled:
                on.add("partly")
            self.sim.set_looks(name, on)
            if len(self.built.bodies[name]) > 1 and self.sim.is_whole(name) == ("halved" in on):
                at = self.visibility.surface_points(name)
                self.sim.join_halves(name, "halved" not in on)
                middle = (at.min(0) + at.max(0)) / 2
                self.placements.place_at(name, middle * (1, 1, 0) + (0, 0, at[:, 2].min()), 0.0)
                self.sim.update_kinematics()

    # --- looking ------------------------------------------------------------------------------------

    def boxes(self) -> tuple[BoundingBox, ...]:
        """Return the bounding box of everything at least partly visible."""
        names = [n for n in sorted(self.visibility.names) if self.visibility.visible_share(n) > 0.03]
        return self.visibility.boxes(names)

    def drive_to(self, base_pose: BasePose) -> None:
        lows, highs = zip(*(room.free for room in self.built.scene.rooms.values()), strict=True)
        low = (min(x for x, _ in lows), min(y for _, y in lows))
        high = (max(x for x, _ in highs), max(y for _, y in highs))
        self.player.drive_to(base_pose, self.navigation_map(), (low, high))

    # --- looking from elsewhere ---------------------------------------------------------------------

    def drive_aside(self, state: HouseholdState, degrees: float, name: str, cancel: StopToken) -> None:
        """Drive around what the robot looks at. Raises MotionHalted."""
        self.clock.use_cancel(cancel)
        self.clock.raise_if_halted()
        self.drive_to(self.find_side_pose(state, degrees, name))
        self.sim.publish_snapshot()

    def drive_back(self, joints: Joints) -> None:
        """Drive back and take exactly these joint positions. Raises MotionHalted."""
        self.clock.raise_if_halted()
        self.drive_to(base_pose_of(joints))
        self.player.set_joints(joints)
        self.sim.publish_snapshot()

    def settle_after_halt(self, state: HouseholdState) -> HouseholdState:
        """Return the state that holds after a halt on the way."""
        self.enforce_facts(state)
        self.sim.publish_snapshot()
        return self._state_at_pose(state)

    def _state_at_pose(self, state: HouseholdState) -> HouseholdState:
        """Return the state at the true pose after a halt: no focus unless all is in view that should be."""
        x, y = self.sim.joints[:2]
        for room, floor in self.things.floors.items():
            (x0, y0), (x1, y1) = self.built.scene.rooms[self.built.assignment.floors[floor]].area
            if x0 <= x <= x1 and y0 <= y <= y1:
                state = replace(state, room=room)
        if all(map(self.geometry.in_view, in_view(self.things, state))):
            return state
        return replace(state, near="", focus="")

    # --- while a transition is played -----------------------------------------------------------------

    def begin(self, cancel: StopToken) -> None:
        """Prepare to play a transition. Raises MotionHalted if a stop is in force."""
        self.committed, self.last_remark = False, ""
        self.clock.use_cancel(cancel)
        self.clock.raise_if_halted()

    def commit(self) -> None:
        """Declare that the new facts hold from here on, whatever stops the rest of the motion."""
        self.committed = True

    def commit_change(self, change: Callable[[], None]) -> None:
        """Make a change that the facts depend on, and commit."""
        change()
        self.commit()
        self.sim.update_kinematics()


def _liquids(state: HouseholdState, thing: str) -> list[str]:
    """Return what a vessel is full of."""
    return [f.args[1] for f in state.facts if f.predicate == "filled" and f.args[0] == thing]


def _boils(state: HouseholdState, thing: str) -> bool:
    return any(state.holds("cooked", liquid) for liquid in _liquids(state, thing))
