"""What a model should reply to the ten wishes of the paper: partial plans, and tests of where things are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from core.planning_model import Literal, Step
from core.scene import Bodies, Body
from core.wish import Test, Wish

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


_TABLE, _MUG = "table_surface", "mug"


def _line(text: str) -> tuple[str, tuple[str, ...]]:
    """Read "name(argument, argument)"."""
    name, _, arguments = text.rstrip(")").partition("(")
    return name, tuple(argument.strip() for argument in arguments.split(","))


def _wish(
    steps: str, goal: str, tests: Mapping[int, tuple[Test, ...]], goal_tests: tuple[Test, ...] | None = None
) -> Callable[[str], Wish]:
    """Return a wish but for its words; its steps and its goal separated by semicolons.

    The tests of its end are by default those of all its places.
    """
    plan = tuple(Step(*_line(text)) for text in steps.split("; "))
    literals = tuple(Literal(*_line(text)) for text in goal.split("; "))
    ends = tuple(test for of_step in tests.values() for test in of_step) if goal_tests is None else goal_tests
    return lambda words: Wish(words, plan, literals, tests, ends)


def _moves(*pairs: str) -> str:
    """Return the steps that put things somewhere: "lemon, plate"."""
    return "; ".join(f"pick({pair.split(', ')[0]}); place_ontop({pair})" for pair in pairs)


_BERRY = _wish(
    _moves("strawberry, light_grey_region"),
    "on(strawberry, light_grey_region)",
    {1: (partial(on_top, "strawberry", "light_grey_region"),)},
)
_CITRUS = _wish(
    _moves("lemon, plate", "orange, plate"),
    "on(lemon, plate); on(orange, plate)",
    {1: (partial(on_top, "lemon", "plate"),), 3: (partial(on_top, "orange", "plate"),)},
)
_STANDS = partial(upright, _MUG), partial(on_top, _MUG, _TABLE)
_NEAR = partial(near, _MUG, "mustard_bottle")
_FORK, _KNIFE = partial(inside, "fork", _MUG), partial(inside, "knife", _MUG)
_FRUIT = ("pear", "strawberry", "apple")
_POURED = partial(tipped_over, "tomato_soup_can", "bowl")
_APPLE, _PEACH = partial(on_top, "apple", "white_mat"), partial(on_top, "peach", "white_mat")
_BESIDE = partial(right_of, "peach", "apple")

_WISHES = {
    "berry_1": _BERRY,
    "berry_2": _BERRY,
    "citrus": _CITRUS,
    "dirty_plate": _CITRUS,
    "berry_cook": _wish(
        "pick(strawberry); place_inside(strawberry, skillet); "
        "pick(strawberry); place_inside(strawberry, bowl)",
        "inside(strawberry, bowl)",
        {1: (partial(inside, "strawberry", "skillet"),), 3: (partial(inside, "strawberry", "bowl"),)},
        (partial(inside, "strawberry", "bowl"),),
    ),
    "fruit_sort": _wish(
        _moves(*(f"{fruit}, {_TABLE}" for fruit in _FRUIT)),
        "; ".join(f"on({fruit}, {_TABLE})" for fruit in _FRUIT),
        {2 * i + 1: (partial(left_of, fruit, "red_line"),) for i, fruit in enumerate(_FRUIT)},
    ),
    "coffee": _wish(_moves(f"{_MUG}, {_TABLE}"), f"on({_MUG}, {_TABLE})", {1: _STANDS}),
    "mug_1": _wish(
        f"{_moves(f'{_MUG}, {_TABLE}')}; pick(fork); place_inside(fork, {_MUG})",
        f"inside(fork, {_MUG})",
        {1: _STANDS, 3: (_FORK,)},
    ),
    "mug_2": _wish(
        f"pick(fork); place_inside(fork, {_MUG}); pick(knife); place_inside(knife, {_MUG}); "
        f"{_moves(f'{_MUG}, {_TABLE}')}",
        f"inside(fork, {_MUG}); inside(knife, {_MUG}); on({_MUG}, {_TABLE})",
        {1: (_FORK,), 3: (_KNIFE,), 5: (_NEAR, *_STANDS)},
    ),
    "mug_3": _wish(
        f"pick({_MUG}); pour({_MUG}, {_TABLE}); place_ontop({_MUG}, {_TABLE}); "
        f"pick(fork); place_inside(fork, {_MUG}); {_moves(f'{_MUG}, {_TABLE}')}",
        f"inside(fork, {_MUG}); on({_MUG}, {_TABLE})",
        {1: (partial(tipped, _MUG),), 2: _STANDS, 4: (_FORK,), 6: (_NEAR, *_STANDS)},
        (_FORK, _NEAR, *_STANDS),
    ),
    "soup_pour": _wish(
        f"pick(tomato_soup_can); pour(tomato_soup_can, bowl); place_ontop(tomato_soup_can, {_TABLE}); "
        f"{_moves('apple, white_mat', 'peach, white_mat')}",
        "on(apple, white_mat); on(peach, white_mat); poured(tomato_soup_can, bowl)",
        {1: (_POURED,), 4: (_APPLE,), 6: (_PEACH, _BESIDE)},
        (_APPLE, _PEACH, _BESIDE),
    ),
}
TASKS = tuple(_WISHES)


def hand_written(task: str, words: str) -> Wish | None:
    """Return the wish of a task of `tabletop-wishes`, or None if nobody has written it."""
    made = _WISHES.get(task)
    return made(words) if made else None
