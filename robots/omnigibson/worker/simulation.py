"""The calls of the worker: what the console may have OmniGibson do, each in a few lines.

Things are named as the activity names them ("mug.n.04_1") and looked up again for every call, since cutting
replaces them. Positions are metres in the world's frame, orientations quaternions x, y, z, w.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

from .api_versions import ApiVersion, check_loaded, detect
from .configuration import environment, installed_scenes, set_macros

RENDERS = 4  # frames until a camera shows what was moved
EYES = ("eyes", "zed", "head")  # part of the name of the camera that is the robot's eye, in this order


class Simulation:
    """OmniGibson with one environment. Main thread only. `progress` is told what takes long."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._progress = progress
        self._og: Any = None
        self._env: Any = None
        self._api = ApiVersion()
        self.picture = b""  # of the last look
        self._parked = ""  # what is held without a joint: it is put to the hand whenever the hand has moved

    # --- loading ------------------------------------------------------------------------------------

    def load(self, activity: str, scene: str, robot: str, size: int, headless: bool) -> dict[str, Any]:
        """Start Isaac Sim and load the activity: minutes."""
        self._progress("importing OmniGibson")
        import omnigibson as og
        from omnigibson.macros import gm

        self._og, self._api = og, detect(og)
        set_macros(gm, headless)
        scenes = [scene] if scene else installed_scenes(self._api, gm, activity)
        if not scenes:
            raise FileNotFoundError(f"no installed scene has the activity {activity}")
        self._progress(f"starting Isaac Sim and loading {scenes[0]}")
        self._env = og.Environment(configs=environment(self._api, activity, scenes[0], robot, size))
        check_loaded(self._api, og, self._env)
        version = str(getattr(og, "__version__", ""))
        return {"omnigibson": version, "api": self._api.name, "inferred": self._api.inferred,
                "scene": scenes[0], "scope": self.scope(), "eye": self._eye().name}  # fmt: skip

    def scope(self) -> dict[str, Any]:
        """Return for each name of the activity what it is, or null while it does not exist."""
        return {name: self._described(entity) for name, entity in self._api.scope(self._env).items()}

    def _described(self, entity: Any) -> dict[str, Any] | None:
        if entity is None:
            return None
        states = sorted(state.__name__ for state in getattr(entity, "states", None) or ())
        rooms = list(getattr(entity, "in_rooms", None) or ())
        return {"name": entity.name, "states": states, "rooms": rooms}

    def reset(self) -> None:
        self._let_go()
        self._env.reset(get_obs=False)  # with observations it may raise over the observation space

    def step(self, count: int) -> None:
        """Run the physics. Not through the environment, which has limits and observations of its own."""
        for _ in range(count):
            self._og.sim.step()

    # --- looking ------------------------------------------------------------------------------------

    def look(self, camera: str, picture: bool) -> dict[str, Any] | None:
        """Return a picture as raw RGB(A) rows, and of the eye which things are in it, with their boxes."""
        for _ in range(RENDERS):
            self._og.sim.render()
        sensor = self._og.sim.viewer_camera if camera == "viewer" else self._eye()
        if sensor is None:
            return None
        observed, info = sensor.get_obs()
        seen = visible_boxes(observed, info, self._names()) if camera != "viewer" else None
        height, width, channels = observed["rgb"].shape
        self.picture = observed["rgb"].cpu().contiguous().numpy().tobytes() if picture else b""
        return {"height": height, "width": width, "channels": channels, "seen": seen}

    def place_viewer(self, position: list[float], orientation: list[float]) -> bool:
        camera = self._og.sim.viewer_camera
        if camera is not None:
            camera.set_position_orientation(position=position, orientation=orientation)
        return camera is not None

    # --- reading ------------------------------------------------------------------------------------

    def poses(self, names: list[str]) -> dict[str, Any]:
        """Return for each thing where it is and its bounding box; null for what does not exist."""
        found: dict[str, Any] = {}
        for name in names:
            thing = self._thing(name)
            if thing is None:
                found[name] = None
                continue
            position, orientation = thing.get_position_orientation()
            low, high = thing.aabb
            found[name] = {"position": _floats(position), "orientation": _floats(orientation),
                           "low": _floats(low), "high": _floats(high)}  # fmt: skip
        return found

    def robot_pose(self) -> dict[str, Any]:
        """Return where the robot's base, its eye and its hand are."""
        robot = self._robot()
        position, orientation = robot.get_position_orientation()
        eye, _ = self._eye().get_position_orientation()
        return {"position": _floats(position), "orientation": _floats(orientation), "eye": _floats(eye),
                "hand": _floats(robot.get_eef_position(self._arm()))}  # fmt: skip

    def states(self, asked: list[list[str]]) -> list[bool | None]:
        """Return each state asked, [state, thing] or [state, thing, other]; null where there is none."""
        return [self._state(*question) for question in asked]

    def _state(self, state: str, name: str, other: str = "") -> bool | None:
        kind, thing = self._kind(state), self._thing(name)
        if thing is None or kind not in (getattr(thing, "states", None) or ()):
            return None
        if not other:
            return bool(thing.states[kind].get_value())
        target = self._target(other)
        return None if target is None else bool(thing.states[kind].get_value(target))

    def held(self) -> str:
        """Return the name of what is in the hand, "" for nothing."""
        thing = self._robot()._ag_obj_in_hand[self._arm()]
        if thing is None:
            return self._parked
        return str(self._names().get(thing.name, thing.name))

    def spots(self, points: list[list[float]]) -> list[Any]:
        """Return for each point of the floor whether it is free on the map, and its room, "" for none."""
        scene = self._api.scene(self._env)
        free, rooms = scene.trav_map, getattr(scene, "seg_map", None) or scene._seg_map
        found = []
        for point in points:
            row, column = (int(n) for n in free.world_to_map(point))
            inside = 0 <= row < free.floor_map[0].shape[0] and 0 <= column < free.floor_map[0].shape[1]
            clear = inside and int(free.floor_map[0][row, column]) == 255
            found.append([clear, rooms.get_room_instance_by_point(point) or ""])
        return found

    def goal(self) -> bool:
        """Return whether the activity's own goal is met."""
        return self._api.is_goal_met(self._env)

    # --- changing -----------------------------------------------------------------------------------

    def teleport_base(self, position: list[float], orientation: list[float]) -> None:
        """Put the robot there. What it holds by a joint comes along; what is parked is put to the hand."""
        robot = self._robot()
        robot.set_position_orientation(position=position, orientation=orientation)
        robot.keep_still()
        self._og.sim.step()
        self._park()

    def aim(self, tilt: float) -> bool:
        """Tilt the head, radians downwards. Return whether this robot has one to tilt."""
        robot = self._robot()
        tilting = [name for name in getattr(robot, "camera_joint_names", ()) if "tilt" in name]
        for name in tilting:
            robot.joints[name].set_pos(tilt)
        return bool(tilting)

    def teleport(self, name: str, position: list[float], orientation: list[float] | None) -> None:
        """Put a thing there, at rest, and let it fall from there."""
        thing = self._existing(name)
        thing.enable_gravity()
        thing.set_position_orientation(position=position, orientation=orientation)
        thing.keep_still()

    def set_state(self, name: str, state: str, value: bool) -> bool:
        """Set an absolute state. Doors are opened or closed fully: else a random few of them, by a bit."""
        setter = self._existing(name).states[self._kind(state)].set_value
        return bool(setter(value, fully=True) if state == "Open" else setter(value))

    def sample(self, name: str, relation: str, other: str) -> bool:
        """Put a thing Inside or OnTop of another, wherever OmniGibson finds room. Return whether it did."""
        thing, target = self._existing(name), self._existing(other)
        thing.enable_gravity()
        return bool(thing.states[self._kind(relation)].set_value(target, True))

    def fill(self, name: str, liquid: str) -> bool:
        """Fill a container with particles. Whether that was enough is read from the state afterwards."""
        return bool(self._existing(name).states[self._kind("Filled")].set_value(self._target(liquid), True))

    def empty(self, name: str, liquid: str) -> bool:
        """Take the particles out: the state Filled cannot be set to false."""
        contains = self._existing(name).states[self._kind("Contains")]
        return bool(contains.set_value(self._target(liquid), False))

    def attach(self, name: str, may_park: bool) -> dict[str, Any]:
        """Put a thing to the hand and hold it by a joint. Return what is held then, and whether by a joint.

        OmniGibson makes no joint for what it finds too heavy, and says nothing. With `may_park` the thing is
        then held without one: without gravity, and put to the hand again whenever that has moved.
        """
        robot, arm, thing = self._robot(), self._arm(), self._existing(name)
        thing.set_position_orientation(position=robot.get_eef_position(arm))
        thing.keep_still()
        self._api.grasp(robot, arm, thing, robot.get_eef_position(arm))
        if robot._ag_obj_in_hand[arm] is None and may_park:
            self._parked = name
            self._park()
        return {"held": self.held(), "joint": robot._ag_obj_in_hand[arm] is not None}

    def detach(self) -> str:
        self._let_go()
        return self.held()

    def cut(self, name: str) -> bool:
        """Slice a thing by OmniGibson's own rule, and run a step. Return whether the rule was active."""
        scene, thing = self._api.scene(self._env), self._existing(name)
        rules = [r for r in scene.transition_rule_api.active_rules if type(r).__name__ == "SlicingRule"]
        for rule in rules:
            parts = rule.transition({"sliceable": [thing]})
            scene.transition_rule_api.execute_transition(parts.add, parts.remove)
            self._og.sim.step()
        return bool(rules)

    def end(self) -> None:
        """End OmniGibson, which may end this process."""
        if self._env is not None:
            sys.stdout.flush()
            self._og.shutdown()
            os._exit(0)

    # --- helpers ------------------------------------------------------------------------------------

    def _robot(self) -> Any:
        return self._api.robot(self._env)

    def _arm(self) -> str:
        return str(self._robot().default_arm)

    def _eye(self) -> Any:
        """Return the camera on the robot's head; sensors without pictures are lasers."""
        cameras = {n: s for n, s in self._robot().sensors.items() if "rgb" in s.modalities}
        for part in EYES:
            for name, sensor in cameras.items():
                if part in name:
                    return sensor
        return next(iter(cameras.values()))

    def _names(self) -> dict[str, str]:
        """Return the activity's name for each object of the scene that it names."""
        entities = self._api.scope(self._env).items()
        return {entity.name: name for name, entity in entities if entity is not None}

    def _thing(self, name: str) -> Any:
        return self._api.scope(self._env).get(name)

    def _existing(self, name: str) -> Any:
        thing = self._thing(name)
        if thing is None:
            raise LookupError(f"the activity has no {name} now")
        return thing

    def _target(self, name: str) -> Any:
        """Return an object or a liquid of the activity, else the scene's liquid of that name ("water")."""
        if "." in name:
            return self._thing(name)
        return self._api.scene(self._env).get_system(name)

    def _kind(self, state: str) -> Any:
        import omnigibson.object_states as object_states

        return getattr(object_states, state)

    def _park(self) -> None:
        if self._parked:
            thing = self._existing(self._parked)
            thing.disable_gravity()
            thing.set_position_orientation(position=self._robot().get_eef_position(self._arm()))
            thing.keep_still()

    def _let_go(self) -> None:
        self._api.release(self._robot(), self._arm())
        parked, self._parked = self._parked, ""
        if parked and self._thing(parked) is not None:
            self._thing(parked).enable_gravity()


def _floats(numbers: Any) -> list[float]:
    return [float(n) for n in numbers]


def visible_boxes(observed: Any, info: Any, names: dict[str, str]) -> dict[str, list[int]] | None:
    """Return for each named thing its pixels and its box: count, left, top, right, bottom (exclusive).

    None without a segmentation. `names` maps OmniGibson's names of things to ours; nothing else is told.
    """
    if "seg_instance" not in observed or "seg_instance" not in info:
        return None
    labels = {int(n): names[label] for n, label in info["seg_instance"].items() if label in names}
    found: dict[str, list[int]] = {}
    for y, row in enumerate(observed["seg_instance"].cpu().tolist()):
        for x, label in enumerate(row):
            name = labels.get(label)
            if name is None:
                continue
            box = found.setdefault(name, [0, x, y, x + 1, y + 1])
            box[0] += 1
            box[1], box[3], box[4] = min(box[1], x), max(box[3], x + 1), y + 1
    return found


CALLS = (
    *("load", "scope", "reset", "step", "look", "place_viewer", "poses", "robot_pose"),
    *("states", "held", "spots", "goal", "teleport_base", "aim", "teleport", "set_state", "sample", "fill"),
    *("empty", "attach", "detach", "cut"),
)
