"""What a wish says of places: tests of where things are, to be bound to the things that they are about.

x grows away from the robot, y to its left, as seen by it.
"""

from __future__ import annotations

from core.scene import Bodies, Body

_UPRIGHT = 0.1  # radians
_OVER_M, _RIM_M = 0.01, 0.1


def _over(a: Body, b: Body) -> bool:
    return all(b.lower[i] <= a.pose[i] <= b.upper[i] for i in (0, 1))


def on_top(thing: str, under: str, bodies: Bodies) -> bool:
    """Return True if the thing's centre is over what is under it, and as near to it as it can lie."""
    a, b = bodies[thing], bodies[under]
    half = max(high - low for low, high in zip(a.lower, a.upper, strict=True)) / 2
    return _over(a, b) and b.upper[2] <= a.pose[2] <= b.upper[2] + half + _OVER_M


def inside(thing: str, container: str, bodies: Bodies) -> bool:
    a, b = bodies[thing], bodies[container]
    return _over(a, b) and b.lower[2] <= a.pose[2] <= b.upper[2] + _RIM_M


def upright(thing: str, bodies: Bodies) -> bool:
    return all(abs(angle) < _UPRIGHT for angle in bodies[thing].pose[3:5])


def left_of(thing: str, other: str, bodies: Bodies) -> bool:
    return bodies[thing].pose[1] >= bodies[other].upper[1]


def right_of(thing: str, other: str, bodies: Bodies) -> bool:
    return bodies[thing].pose[1] <= bodies[other].lower[1]


def near(thing: str, other: str, bodies: Bodies, within: float = 0.12) -> bool:
    """Return True if the centres are not more than so many metres apart along any axis."""
    a, b = bodies[thing].pose, bodies[other].pose
    return all(abs(a[i] - b[i]) <= within for i in range(3))


def tipped_over(thing: str, target: str, bodies: Bodies) -> bool:
    """Return True if the thing is tipped, so that it pours, with its centre over the target."""
    a, b = bodies[thing], bodies[target]
    return abs(a.pose[3]) > 1.2 and _over(a, b) and a.pose[2] >= b.upper[2]


def tipped(thing: str, bodies: Bodies) -> bool:
    return abs(bodies[thing].pose[3]) > 1.9
