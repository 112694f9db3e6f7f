"""Whether a wish was fulfilled, by the true poses after each step. No search reads this."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.motion.frames import Frame
from robots.ur5e.motion.rehearsal import SHARE_POURED, is_inside
from robots.ur5e.scene_file import TabletopThing

Poses = Mapping[str, Frame]
_UPRIGHT, _NEAR_M = 0.95, 0.16
_EGGS = ("egg_1", "egg_2", "egg_3")


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

    def half(self, name: str) -> tuple[float, float, float]:
        return self._kinds[name].half

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


def _at(course: Course, name: str, when: int = -1) -> tuple[float, float, float]:
    x, y, z = course.poses[when][name][:3, 3]
    return float(x), float(y), float(z)


def _on(course: Course, name: str, under: str, when: int = -1) -> bool:
    """Return True if a thing is over what it was put onto, and higher."""
    (x, y, z), (u, v, w) = _at(course, name, when), _at(course, under, when)
    half = course.half(under)
    return abs(x - u) < half[0] and abs(y - v) < half[1] and w < z < w + half[2] + 0.09


def _once(course: Course, so: Callable[[int], bool]) -> bool:
    return any(so(when) for when in range(len(course.poses)))


def _straight(course: Course, name: str) -> bool:
    """Return True if a long thing lies along the way that the robot looks."""
    return bool(abs(course.end[name][0, 0]) > 0.95)


def _laid(course: Course) -> bool:
    cutlery = ("fork", "knife")
    (u, v, _), lies = _at(course, "plate"), all(_straight(course, n) for n in cutlery)
    beside = [0.05 < abs(_at(course, n)[1] - v) < 0.16 and abs(_at(course, n)[0] - u) < 0.13 for n in cutlery]
    return lies and all(beside)


def _in_line(course: Course) -> bool:
    (x, y, _), (u, v, _), (a, b, _) = (_at(course, n) for n in ("red_block", "green_block", "blue_block"))
    along = np.hypot(a - u, b - v)
    return bool(abs((x - u) * (b - v) - (y - v) * (a - u)) / along < 0.012)


def _all_inside(course: Course, names: Sequence[str], container: str) -> bool:
    return all(course.was_inside(name, container) for name in names)


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
    "fruit_plate": lambda c: _on(c, "orange", "plate") and _on(c, "apple", "plate"),
    "colour_bins": lambda c: c.was_inside("strawberry", "red_bin") and c.was_inside("lime", "green_bin"),
    "hue_tower": lambda c: _on(c, "yellow_block", "red_block") and _on(c, "green_block", "yellow_block"),
    "around_plate": lambda c: (
        _at(c, "apple")[1] > _at(c, "plate")[1] + 0.055 and _at(c, "orange")[0] > _at(c, "plate")[0] + 0.055
    ),
    "far_apart": lambda c: c.y("orange") < -0.14 and c.y("apple") > 0.14,
    "its_place": lambda c: bool(np.hypot(*np.subtract(_at(c, "orange")[:2], _at(c, "apple", 0)[:2])) < 0.03),
    "clean_plate": lambda c: _on(c, "sponge", "plate"),
    "not_vegan": lambda c: (
        _all_inside(c, ("milk_carton", "spam"), "purple_bin")
        and not any(c.was_inside(n, "purple_bin") for n in ("apple", "water_bottle"))
    ),
    "green_between": lambda c: c.y("red_block") < c.y("green_block") < c.y("blue_block"),
    "full_plate": lambda c: _on(c, "blue_block", "plate"),
    "lay_table": _laid,
    "fits_cup": lambda c: c.was_inside("strawberry", "mug"),
    "brownies": lambda c: all(_at(c, n)[0] < _at(c, "pan")[0] - 0.05 for n in ("sugar_box", "cocoa_tin")),
    "holder": lambda c: (
        _all_inside(c, ("fork", "knife"), "utensil_holder") and _straight(c, "fork") and _straight(c, "knife")
    ),
    "two_eggs": lambda c: sum(c.was_inside(n, "pan") and _at(c, n)[0] < _at(c, "pan")[0] for n in _EGGS) == 2,
    "serve_spam": lambda c: _on(c, "spam", "plate") and _once(c, lambda k: c.was_inside("spam", "pan", k)),
    "shortest": lambda c: c.was_inside("domino", "bin") and _once(c, lambda k: _on(c, "domino", "scale", k)),
    "near_fruit": lambda c: c.is_near("banana", "apple") and c.is_near("banana", "orange"),
    "in_line": _in_line,
}
