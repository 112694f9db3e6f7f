"""Whether one of the ten wishes was fulfilled, by the true poses after each step. No search reads this."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.motion.frames import Frame
from robots.ur5e.motion.rehearsal import SHARE_POURED, is_inside
from robots.ur5e.scene_file import TabletopThing

Poses = Mapping[str, Frame]
_UPRIGHT, _NEAR_M = 0.95, 0.16


class Course:
    """The poses of everything, at first and after each step, and what the things are."""

    def __init__(self, poses: Sequence[Poses], kinds: Mapping[str, TabletopThing]) -> None:
        self.poses, self._kinds = poses, kinds
        self.end = poses[-1]

    def is_over(self, name: str, at: tuple[float, float], half: float) -> bool:
        """Return True if a thing's centre ends over a square on the table."""
        return bool(np.all(np.abs(self.end[name][:2, 3] - at) < half))

    def lies(self, name: str) -> bool:
        """Return True if a fruit ends on the table itself."""
        return bool(self.end[name][2, 3] < 0.03)

    def was_inside(self, name: str, container: str, when: int = -1) -> bool:
        now = self.poses[when]
        return is_inside(now[name], now[container], self._kinds[container])

    def stands(self, name: str) -> bool:
        return bool(self.end[name][2, 2] > _UPRIGHT)

    def is_near(self, one: str, other: str) -> bool:
        return bool(np.linalg.norm(self.end[one][:2, 3] - self.end[other][:2, 3]) < _NEAR_M)

    def y(self, name: str) -> float:
        return float(self.end[name][1, 3])


def _berry(course: Course) -> bool:
    return course.is_over("strawberry", (0.5, 0), 0.028) and course.lies("strawberry")


def _citrus(course: Course) -> bool:
    others = ("strawberry", "apple", "pear", "plum")
    packed = all(course.is_over(fruit, (0.5, 0), 0.06) for fruit in ("lemon", "orange"))
    return packed and not any(course.is_over(fruit, (0.5, 0), 0.055) for fruit in others)


def _berry_cook(course: Course) -> bool:
    cooked = any(course.was_inside("strawberry", "skillet", k) for k in range(len(course.poses) - 1))
    return (
        cooked and course.was_inside("strawberry", "bowl") and not course.was_inside("strawberry", "skillet")
    )


def _fruit_sort(course: Course) -> bool:
    left = [course.y(fruit) > 0.003 for fruit in ("pear", "strawberry", "apple")]
    right = [course.y(thing) < 0.003 for thing in ("sugar_box", "hammer", "tomato_soup_can")]
    return all(left + right)


def _coffee(course: Course) -> bool:
    return course.stands("mug") and abs(course.end["mug"][2, 3] - 0.04) < 0.01


def _mug_1(course: Course) -> bool:
    return course.stands("mug") and course.was_inside("fork", "mug")


def _mug_2(course: Course) -> bool:
    return _mug_1(course) and course.was_inside("knife", "mug") and course.is_near("mug", "mustard_bottle")


def _mug_3(course: Course) -> bool:
    return (
        _mug_1(course)
        and not course.was_inside("golf_ball", "mug")
        and course.is_near("mug", "mustard_bottle")
    )


def _soup_pour(course: Course) -> bool:
    grains = [name for name in course.end if "_grain_" in name]
    served = all(
        course.is_over(fruit, (0.5, 0.06), 0.034) and course.lies(fruit) for fruit in ("apple", "peach")
    )
    poured = sum(course.was_inside(grain, "bowl") for grain in grains) >= SHARE_POURED * len(grains)
    return served and poured and course.y("peach") < course.y("apple")


DETECTORS: Mapping[str, Callable[[Course], bool]] = {
    "berry_1": _berry,
    "berry_2": _berry,
    "citrus": _citrus,
    "berry_cook": _berry_cook,
    "fruit_sort": _fruit_sort,
    "coffee": _coffee,
    "mug_1": _mug_1,
    "mug_2": _mug_2,
    "mug_3": _mug_3,
    "soup_pour": _soup_pour,
}
