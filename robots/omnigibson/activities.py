"""The five tasks as activities of BEHAVIOR: which of our names is which of theirs, and their own goals.

Our names are the paper's, not the activities': there is no beer bottle, sticks are firewood, and the living
room of the bottles is the activity's kitchen. A task may have several tables, for data of different versions
of bddl; the first whose names are all there counts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from core.domains import DomainSpec, Task
from core.errors import RobotError
from robots.kitchen.household.household import unsupported_reasons as household_reasons


@dataclass(frozen=True)
class Activity:
    """An activity for one of our tasks. `goal` is BEHAVIOR's own, which is not the paper's."""

    name: str
    names: Mapping[str, str]  # ours -> the activity's
    bddl: str  # the versions of bddl whose activity this is
    goal: str
    halves: tuple[str, ...] = ()  # of what can be cut, once it is
    boiled: Mapping[str, str] = field(default_factory=dict)  # a liquid of ours -> what boiling makes of it
    absent: frozenset[str] = frozenset()  # things of ours that the activity does not have

    def theirs(self, name: str) -> str:
        """Return the activity's name of a thing, "" if it has none."""
        return self.names.get(name, "")


def _same(names: str) -> dict[str, str]:
    """Return these names of ours with the activity's, where they differ in nothing but their form."""
    return {name: name.replace("-n-", ".n.") for name in f"agent-n-01_1 floor-n-01_1 {names}".split()}


def _pie(name: str, bddl: str) -> Activity:
    names = {**_same("electric_refrigerator-n-01_1 oven-n-01_1"), "pie-n-01_1": name}
    return Activity("cook_a_frozen_pie", names, bddl, "the pie is hot and not frozen")


ACTIVITIES: Mapping[str, tuple[Activity, ...]] = MappingProxyType(
    {
        "boil_water": (
            Activity(
                "boil_water_in_the_microwave",
                _same("cabinet-n-01_1 mug-n-04_1 sink-n-01_1 water-n-06_1 microwave-n-02_1"),
                "3.5 and 3.6",
                "the mug is in the microwave, filled with boiled water",
                boiled={"water-n-06_1": "cooked__water.n.01_1"},
            ),
        ),
        "bring_in_bottles": (
            Activity(
                "bringing_water",
                {
                    **_same("floor-n-01_2"),  # of the garden; floor-n-01_1 is that of the kitchen
                    "beer_bottle-n-01_1": "water_bottle.n.01_1",
                    "water_bottle-n-01_1": "water_bottle.n.01_2",
                },
                "3.5",  # from 3.6 on, another activity has this name
                "both bottles are inside the cabinet",
                absent=frozenset({"table-n-02_1"}),
            ),
        ),
        "cook_frozen_pie": (_pie("apple_pie.n.01_1", "3.5 and 3.6"), _pie("pie.n.01_1", "3.1")),
        "halve_egg": (
            Activity(
                "halve_an_egg",
                {
                    **_same("countertop-n-01_1 carving_knife-n-01_1"),
                    "hard__boiled_egg-n-01_1": "hard-boiled_egg.n.01_1",
                },
                "3.5 and 3.6",
                "both halves of the egg are there",
                halves=("half__hard-boiled_egg.n.01_1", "half__hard-boiled_egg.n.01_2"),
            ),
        ),
        "store_firewood": (
            Activity(
                "store_firewood",
                {
                    **_same("table-n-02_1"),
                    "wooden_stick-n-01_1": "firewood.n.01_1",
                    "wooden_stick-n-01_2": "firewood.n.01_2",
                },
                "3.5 and 3.6",
                "all three logs are on the table",  # the paper's: two of them
            ),
        ),
    }
)


def activity_name(task: str) -> str:
    """Return the activity to load for a task of `ACTIVITIES`."""
    return ACTIVITIES[task][0].name


def matching_activity(task: str, scope: Collection[str]) -> Activity:
    """Return the table of a task whose names are all in the loaded activity. Raises RobotError."""
    for activity in ACTIVITIES[task]:
        if set(activity.names.values()) <= set(scope):
            return activity
    first = ACTIVITIES[task][0]
    missing = sorted(set(first.names.values()) - set(scope))
    raise RobotError(
        f"The installed activity {first.name} has no {missing[0]}: the task {task} needs the definitions of "
        f"bddl {first.bddl}; choose another task, or an OmniGibson with those."
    )


def unsupported_reasons(domain_spec: DomainSpec, task: Task) -> tuple[str, ...]:
    """Return why the robot cannot run this task, one sentence for each reason; empty if it can."""
    reasons = tuple(r.replace("The kitchen", "OmniGibson") for r in household_reasons(domain_spec, task))
    if not reasons and task.name not in ACTIVITIES:
        known = ", ".join(sorted(ACTIVITIES))
        reasons = (f"OmniGibson has no activity for the task {task.name!r}; it has: {known}.",)
    return reasons
