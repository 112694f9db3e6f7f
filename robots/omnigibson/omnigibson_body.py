"""OmniGibson as the body of the household: it plays what happened, and says what it really has afterwards."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic

from core.errors import Cancelled, RobotError
from core.ports import BoundingBox, Frame, RgbImage
from core.stop_token import StopToken
from robots.kitchen.household.body import CameraPose, LookHalted, PlaybackResult, SideLook, same_pose
from robots.kitchen.household.household import Household
from robots.kitchen.household.state import HouseholdState, HouseholdTransition, in_view
from robots.omnigibson.activities import activity_name, matching_activity
from robots.omnigibson.observed_facts import Observer, disagreements, relation
from robots.omnigibson.options import OmniGibsonOptions
from robots.omnigibson.simulator import NO_EYE, SimulationHalted, Simulator
from robots.omnigibson.skill_player import SETTLE, CannotPlay, SkillPlayer
from robots.omnigibson.worker_session import WorkerSession, load
from robots.stop_latch import Latch

EYE, VIEWER = "eye", "viewer"
_LIVE_PERIOD = 0.5  # seconds between two live pictures while something moves
_LIVE_KEPT = 2.0  # seconds for which one call of `live` keeps the pictures coming
_VIEWER_OFFSET = (-1.8, 1.2, 2.2)  # metres of the viewer's camera from the robot: behind, to its left, above


@dataclass(frozen=True)
class Staging:
    """Which task to load, and how."""

    task: str
    options: OmniGibsonOptions
    seed: int = 0
    pictures: bool = True
    pace: float = 0.0  # seconds before each step begins


class OmniGibsonBody:
    """Implements HouseholdBody. Made with everything loaded and laid out. Raises RobotError."""

    def __init__(self, session: WorkerSession, staging: Staging, world: Household, latch: Latch) -> None:
        self._session, self._staging, self._latch, self._things = session, staging, latch, world.things
        self._live: dict[str, Frame] = {}
        self._live_lock, self._next_live, self._watched = Lock(), 0.0, -_LIVE_KEPT
        self._boxes: tuple[BoundingBox, ...] = ()
        self.simulator = Simulator(session, latch, self._refresh_live)
        scope = load(session, activity_name(staging.task), staging.options)["scope"]
        self.simulator.activity = matching_activity(staging.task, scope)
        rooms = {name: there["rooms"][0] for name, there in scope.items() if there and there["rooms"]}
        self._observer = Observer(world.things, self.simulator.activity)
        self._player = SkillPlayer(self.simulator, world.things, rooms, staging.seed)
        self._ours = {theirs: name for name, theirs in self.simulator.activity.names.items()}
        self._lay_out(world.state)

    # --- laying out ---------------------------------------------------------------------------------

    def _lay_out(self, state: HouseholdState) -> None:
        """Bring the simulator to the task's beginning. Raises RobotError if it does not get there."""
        wrong = disagreements(state, state, self._observe(state))
        if wrong:
            self._correct(state)
            wrong = disagreements(state, state, self._observe(state))
        if wrong:
            raise RobotError(
                f"OmniGibson could not be brought to the beginning of {self._staging.task}: {wrong[0]}. "
                "Try another scene, or look at the installed data with `doctor --robot omnigibson`."
            )

    def _correct(self, state: HouseholdState) -> None:
        seen, player = self._observe(state), self._player
        for name in sorted(self._things.openables):
            if (is_closed := state.holds("closed", name)) is not seen.holds("closed", name):
                player.set_state(name, "Open", not is_closed)
        for thing, place in sorted(state.places.items()):
            if seen.places[thing] != place and self.simulator.activity.theirs(place):
                player.put(self.simulator.name(thing), relation(self._things, place), place)
            for state_name, predicate in (("Frozen", "frozen"), ("Heated", "hot")):
                if state.holds(predicate, thing) and not seen.holds(predicate, thing):
                    player.set_state(thing, state_name, True)
        self.simulator.step(SETTLE)

    # --- HouseholdBody --------------------------------------------------------------------------------

    @property
    def camera_pose(self) -> CameraPose:
        pose = self._player.pose
        return pose.x, pose.y, pose.yaw, pose.tilt

    def play(self, transition: HouseholdTransition, cancel: StopToken) -> PlaybackResult:
        if transition.failed_constraint:
            return PlaybackResult(False, True, transition.after)
        if self._latch.wait(self._staging.pace, cancel):
            return PlaybackResult(True, False, transition.before)
        self.simulator.begin(cancel)
        previous_pose, expected, failure = self._player.pose, transition.after, ""
        try:
            self._player.play(transition)
        except SimulationHalted:
            committed = self._player.committed
            state = self._observe(transition.after if committed else transition.before)
            if self._player.pose != previous_pose:
                state = replace(state, near="", focus="")
            return PlaybackResult(True, committed, self._with_view(state))
        except CannotPlay as cannot:
            failure, expected = str(cannot), transition.before
            if self._player.pose != previous_pose:
                expected = replace(expected, near="", focus="")
        state = self._with_view(self._observe(expected))
        wrong = [failure] if failure else list(disagreements(transition.before, expected, state))
        self._refresh_live(now=True)
        said = f"in OmniGibson, {'; '.join(wrong)}" if wrong else ""
        return PlaybackResult(False, True, state, disagreement=said)

    def _observe(self, state: HouseholdState) -> HouseholdState:
        named = self.simulator.activity.theirs
        names = [named(n) for n in sorted(self._things.furniture | self._things.movables) if named(n)]
        questions = [q for q in self._observer.questions(state) if all(q)]
        return self._observer.observed(state, self.simulator.read(questions, names))

    def _with_view(self, state: HouseholdState) -> HouseholdState:
        """Note what the camera does not show of what it is aimed at: hidden by something, or too small."""
        bare = replace(state, hidden=frozenset())
        shown = self.simulator.shown()
        halves = bool(shown & set(self.simulator.activity.halves))
        hidden = {
            name
            for name in in_view(self._things, bare)
            if self.simulator.activity.theirs(name) not in shown
            and not (halves and state.holds("halved", name))
        }
        return replace(state, hidden=frozenset(hidden)) if hidden else bare

    def look(self, cancel: StopToken) -> RgbImage | None:
        cancel.check()
        if not self._staging.pictures:
            return None
        found = self.simulator.picture(EYE)
        if found is None:
            raise RobotError(NO_EYE)
        rgb, seen = found
        named = ((self._ours.get(name, ""), box) for name, box in sorted(seen.items()))
        self._boxes = tuple(BoundingBox(name, *box[1:]) for name, box in named if name)
        self._refresh_live()
        return rgb

    def look_aside(self, state: HouseholdState, degrees: float, name: str, cancel: StopToken) -> SideLook:
        if self._latch.wait(self._staging.pace, cancel):
            raise LookHalted(None)
        pose, here = self._player.pose, self.camera_pose
        try:
            self.simulator.begin(cancel)
            self._player.step_aside(state, math.radians(degrees))
            seen = SideLook(self.camera_pose, self.look(cancel), self._boxes)
            self._player.move(pose)
        except CannotPlay as cannot:
            raise RobotError(f"The robot cannot look from there: {cannot}.") from None
        except (SimulationHalted, Cancelled):
            stays = same_pose(here, self.camera_pose)
            raise LookHalted(None if stays else replace(state, near="", focus="")) from None
        return seen

    def boxes(self) -> tuple[BoundingBox, ...]:
        return self._boxes

    def live(self, camera: str) -> Frame | None:
        self._watched = monotonic()
        with self._live_lock:
            return self._live.get(camera)

    def _refresh_live(self, now: bool = False) -> None:
        """Take a picture of both cameras, now and then, if somebody watches. The loop's thread."""
        moment = monotonic()
        watched = self._staging.pictures and moment - self._watched < _LIVE_KEPT
        if not watched or (moment < self._next_live and not now):
            return
        self._next_live = moment + _LIVE_PERIOD
        self._aim_viewer()
        for camera in (EYE, VIEWER):
            if found := self.simulator.picture(camera):
                rgb, _ = found
                rgb.flags.writeable = False
                with self._live_lock:
                    self._live[camera] = Frame("", camera, monotonic(), "", rgb)

    def _aim_viewer(self) -> None:
        """Put the viewer's camera behind and above the robot, looking at what it looks at."""
        pose, (back, left, up) = self._player.pose, _VIEWER_OFFSET
        x, y = pose.ahead(back)
        x, y = x - left * math.sin(pose.yaw), y + left * math.cos(pose.yaw)
        ahead = pose.ahead(1.0)
        yaw = math.atan2(ahead[1] - y, ahead[0] - x)
        down = math.atan2(up - 0.8, math.hypot(ahead[0] - x, ahead[1] - y))
        self.simulator.ask("place_viewer", position=[x, y, up], orientation=_camera_orientation(yaw, down))

    def close(self) -> None:
        self._session.close()


def _camera_orientation(yaw: float, down: float) -> tuple[float, float, float, float]:
    """Return x, y, z, w of a camera that looks along -z with y up, turned by `yaw` and tilted down."""
    pitch = math.pi / 2 - down
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos((yaw - math.pi / 2) / 2), math.sin((yaw - math.pi / 2) / 2)
    return sp * cy, sp * sy, cp * sy, cp * cy
