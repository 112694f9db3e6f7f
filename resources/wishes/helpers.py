# What a test may call: runs in the sandbox of core/wishes/confinement.py. A model is shown the docstrings.
# Both ways of calling are understood: f(init_state, env, init_bounds, "mug") and f("mug").
import math

_FAR = 10.0
env = None
init_state = {}
init_bounds = (
    (-_FAR, -_FAR, -_FAR, -math.pi, -math.pi, -math.pi),
    (_FAR, _FAR, _FAR, math.pi, math.pi, math.pi),
)


class Pose:
    def __init__(self, x, y, z, roll, pitch, yaw):
        self.x, self.y, self.z, self.roll, self.pitch, self.yaw = x, y, z, roll, pitch, yaw

    def __getitem__(self, i):
        return (self.x, self.y, self.z, self.roll, self.pitch, self.yaw)[i]


class Thing:
    def __init__(self, name):
        self.name = self.category = name


def _see(state):
    for name, (pose, lower, upper) in state.items():
        if name not in init_state:
            init_state[name] = Thing(name)
        thing = init_state[name]
        thing.pose, thing.lower, thing.upper = Pose(*pose), lower, upper
        if name == "table_surface":
            init_state["table"] = thing


def _named(args):
    found = []
    for a in args:
        if isinstance(a, Thing):
            found.append(a)
        elif isinstance(a, str):
            if a not in init_state:
                raise ValueError("there is no " + a)
            found.append(init_state[a])
    return found


def _cut(args, *limits):
    bounds = init_bounds
    for a in args:
        if isinstance(a, tuple):
            bounds = a
    low, high = list(bounds[0]), list(bounds[1])
    for axis, least, most in limits:
        low[axis], high[axis] = max(low[axis], least), min(high[axis], most)
    return tuple(low), tuple(high)


def _over(thing):
    return (0, thing.lower[0], thing.upper[0]), (1, thing.lower[1], thing.upper[1])


def get_aabb_bounds(*args, **named):
    """(init_state, env, name): the lower and the upper corner (x, y, z) of the upright box around a thing."""
    args += tuple(named.values())
    thing = _named(args)[-1]
    return thing.lower, thing.upper


def get_obj_center(*args, **named):
    """(init_state, env, name): a thing's pose, (x, y, z, roll, pitch, yaw)."""
    args += tuple(named.values())
    pose = _named(args)[-1].pose
    return (pose.x, pose.y, pose.z, pose.roll, pose.pitch, pose.yaw)


def modify_pose_bounds_to_be_behind_object(*args, **named):
    """(init_state, env, bounds, name): farther from the robot than the thing."""
    args += tuple(named.values())
    return _cut(args, (0, _named(args)[-1].upper[0], _FAR))


def modify_pose_bounds_to_be_in_front_of_object(*args, **named):
    """(init_state, env, bounds, name): nearer to the robot than the thing."""
    args += tuple(named.values())
    return _cut(args, (0, -_FAR, _named(args)[-1].lower[0]))


def modify_pose_bounds_to_be_left_of_object(*args, **named):
    """(init_state, env, bounds, name): to the left of the thing, as the robot sees it."""
    args += tuple(named.values())
    return _cut(args, (1, _named(args)[-1].upper[1], _FAR))


def modify_pose_bounds_to_be_right_of_object(*args, **named):
    """(init_state, env, bounds, name): to the right of the thing, as the robot sees it."""
    args += tuple(named.values())
    return _cut(args, (1, -_FAR, _named(args)[-1].lower[1]))


def modify_pose_bounds_to_be_above_object(*args, **named):
    """(init_state, env, bounds, name): right above the thing. Of use to pour, with a test of the roll."""
    args += tuple(named.values())
    thing = _named(args)[-1]
    return _cut(args, *_over(thing), (2, thing.upper[2], _FAR))


def modify_pose_bounds_to_be_below_object(*args, **named):
    """(init_state, env, bounds, name): right below the thing."""
    args += tuple(named.values())
    thing = _named(args)[-1]
    return _cut(args, *_over(thing), (2, -_FAR, thing.lower[2]))


def modify_pose_bounds_to_be_near_object(*args, closeness_thresh=0.12, **named):
    """(init_state, env, bounds, name, closeness_thresh=0.12): so near along each of x, y and z, in metres."""
    args += tuple(named.values())
    near = ([a for a in args if isinstance(a, (float, int))] or [closeness_thresh])[-1]
    pose = _named(args)[-1].pose
    return _cut(args, *[(axis, pose[axis] - near, pose[axis] + near) for axis in range(3)])


def modify_pose_bounds_to_be_ontop_of_object(*args, **named):
    """(init_state, env, bounds, name, name of what is under it): lying on it.

    For a surface, a region or another thing. For a container use modify_pose_bounds_to_be_inside_object.
    """
    args += tuple(named.values())
    things = _named(args)
    under, reach = things[-1], 0.05
    if len(things) > 1:
        reach = max([things[0].upper[i] - things[0].lower[i] for i in range(3)]) / 2
    return _cut(args, *_over(under), (2, under.upper[2], under.upper[2] + reach + 0.01))


def modify_pose_bounds_to_be_inside_object(*args, **named):
    """(init_state, env, bounds, name of the container): in the container. Not for pouring."""
    args += tuple(named.values())
    container = _named(args)[-1]
    return _cut(args, *_over(container), (2, container.lower[2], container.upper[2] + 0.1))


def initialize_bounds_anywhere_on_object(*args, **named):
    """(init_state, env, name): bounds of any pose on or above the thing, to be narrowed."""
    args += tuple(named.values())
    thing = _named(args)[-1]
    low, high = _cut((), *_over(thing), (2, thing.upper[2], thing.upper[2] + 0.3))
    return low, high


def position_within_bounds(pose, bounds):
    """(pose, bounds): whether x, y and z of the pose are within the bounds."""
    x, y, z = (pose.x, pose.y, pose.z) if isinstance(pose, Pose) else pose[:3]
    low, high = bounds[0], bounds[1]
    return low[0] <= x <= high[0] and low[1] <= y <= high[1] and low[2] <= z <= high[2]
