"""Registry of robots by name. A robot's own packages are imported only when the robot is made.

A robot's `make` takes, by keyword, `options, folder, task, seed, openness, rates, pictures, pace`, and
`notify` if it reports progress. `openness` scales the rates of the situations, from 0 (none) to 1.75; `rates`
replaces the rates of single situations by name. With `pictures` False the frames are blank. `pace` slows a
step down; at 0 it is done at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from core.domains import DomainSpec, Task
from core.errors import BadValue, ConsoleError, RobotError
from core.install_paths import resource_path
from core.permit import PermitLedger
from core.ports import Embodiment, Robot
from core.registry import Options, late, requires_package
from core.robots import (
    ConformanceTrial,
    PreflightReport,
    RobotEntry,
    RobotRegistry,
    show_nothing,
    simulated_embodiment,
)
from robots.grids.options import GridOptions
from robots.omnigibson.options import OmniGibsonOptions
from robots.options import OpenWorldOptions, SymbolicOptions, TableFaults, Ur5eOptions
from robots.remote.remote_entry import RemoteOptions, embodiment_of, listen, make_remote


def _omnigibson_preflight(options: Options) -> PreflightReport:
    return PreflightReport(Embodiment.SIM, late("robots.omnigibson.installation:examine")(options))


def _make_symbolic(options: SymbolicOptions, **needs: Any) -> Robot:
    robot: Robot = late("robots.symbolic.robot:SymbolicRobot")(truth=options.truth, **needs)
    return robot


def _make_ur5e(options: Ur5eOptions, **needs: Any) -> Robot:
    if _is_wish(needs["task"]):
        from robots.table.arm_robot import make_wish_arm

        return make_wish_arm(**needs, arm=options.arm, poses=options.poses)
    from robots.ur5e.tabletop.emulated_robot import make_tabletop_robot

    return make_tabletop_robot(**needs, arm=options.arm)


def _ur5e_embodiment(options: Options) -> Embodiment | None:
    """Return EMULATED if no arm is named, since the robot then starts its own emulator.

    A named arm is known only by its serial number, hence None.
    """
    named = getattr(options, "arm", "") or os.environ.get("DKPROMPT_UR5E", "")
    return None if named else Embodiment.EMULATED


def _ur5e_preflight(options: Options) -> PreflightReport:
    """Listen to the arm that is named, if one is: an emulator of its own starts with the robot."""
    named = getattr(options, "arm", "") or os.environ.get("DKPROMPT_UR5E", "")
    if not named:
        return PreflightReport(Embodiment.EMULATED)
    from robots.ur5e.tabletop.hardware import resolve_setup
    from robots.ur5e.tabletop.left_over import moved_on_emulated_table
    from robots.ur5e.unmade_preflight import listen

    report = listen(setup := resolve_setup(named))
    if report.embodiment is Embodiment.EMULATED:
        report = replace(report, checks=(*report.checks, moved_on_emulated_table(setup)))
    return report


_of_the_domain = late("robots.symbolic.world:unsupported_reasons")
_at_a_table = late("robots.table.robot:unsupported_reasons")


def _is_wish(task: Task) -> bool:
    return task.problem.domain.name == "tabletop-wishes"


def _tabletop_supports(domain_spec: DomainSpec, task: Task, doubts: bool = False) -> tuple[str, ...]:
    """Return why an arm cannot do the task, or what will probably go wrong with its things."""
    if _is_wish(task):
        return () if doubts else tuple(_at_a_table(domain_spec, task))
    from robots.ur5e.arm_name import names_a_file
    from robots.ur5e.arm_setup import EMULATED_SETUP, read_setup
    from robots.ur5e.scene_file import scene_of
    from robots.ur5e.tabletop import task_support

    named = os.environ.get("DKPROMPT_UR5E", "")
    try:
        setup = read_setup(Path(named)) if names_a_file(named) else EMULATED_SETUP
        setup = replace(setup, scene=scene_of(domain_spec, setup.scene))
        if not doubts:
            return task_support.unsupported_reasons(domain_spec, task, setup)
        here = setup.address if names_a_file(named) else named  # a real arm is at no address of this machine
        return task_support.doubts(domain_spec, task, setup, not here or here.startswith("127."))
    except ConsoleError as error:
        return () if doubts else (str(error),)


SIDES = ("left", "right")  # of what the robot looks at
ROBOTS: RobotRegistry = RobotRegistry((
    RobotEntry("kitchen", "Kitchen simulator", "A household in 3-D on this computer.",
               lambda options, **needs: late("robots.kitchen.robot:KitchenRobot")(**needs),
               incompatibilities=late("robots.kitchen.household.household:unsupported_reasons"),
               embodiment=simulated_embodiment, viewpoints=SIDES, trials=(ConformanceTrial("boil_water"),)),
    RobotEntry("symbolic", "Symbolic robot", "Any domain; its pictures are the facts, written out.",
               _make_symbolic, SymbolicOptions, incompatibilities=_of_the_domain,
               embodiment=simulated_embodiment, viewpoints=SIDES, trials=(ConformanceTrial("boil_water"),)),
    RobotEntry("omnigibson", "OmniGibson",
               "The paper's simulator, in its own Python: Isaac Sim and an RTX card.",
               late("robots.omnigibson.robot:OmniGibsonRobot"), OmniGibsonOptions,
               incompatibilities=late("robots.omnigibson.activities:unsupported_reasons"),
               embodiment=simulated_embodiment, viewpoints=SIDES, preflight=_omnigibson_preflight,
               full_check=late("robots.omnigibson.full_check:full_check"), reports_progress=True),
    RobotEntry("open-world", "Open world",
               "The symbolic robot in a world with more objects and surprises than the domain describes.",
               late("robots.open_world.robot:OpenWorldRobot"), OpenWorldOptions,
               incompatibilities=_of_the_domain, embodiment=simulated_embodiment, viewpoints=SIDES,
               trials=(ConformanceTrial("serve_water"),)),
    RobotEntry("table", "Table in physics", "An arm and things for wishes, as fast as this computer can.",
               lambda options, **needs: late("robots.table.robot:TableRobot")(faults=options, **needs),
               TableFaults, incompatibilities=_at_a_table, embodiment=simulated_embodiment),
    RobotEntry("grids", "Grid worlds", "A game on a grid, in which a drafted domain is run and watched.",
               late("robots.grids.robot:GridRobot"), GridOptions,
               incompatibilities=late("robots.grids.robot:unsupported"), embodiment=simulated_embodiment,
               trials=(ConformanceTrial(domain=str(resource_path("resources", "grids", "package"))),)),
    RobotEntry("ur5e", "UR5e", "An arm at a table, real or emulated; the top bar says which.",
               _make_ur5e, Ur5eOptions, requires_package("rtde_control", "ur5e"), _tabletop_supports,
               embodiment=_ur5e_embodiment, preflight=_ur5e_preflight,
               draw=late("robots.ur5e.tabletop.stills:draw_states"),
               doubts=partial(_tabletop_supports, doubts=True)),
    RobotEntry("remote", "Robot elsewhere",
               "Runs in another process or on another machine; enter the address printed by serve.",
               lambda options, **needs: make_remote(options, ROBOTS, **needs), RemoteOptions,
               embodiment=lambda options: embodiment_of(options, ROBOTS),
               preflight=lambda options: listen(options, ROBOTS), reports_progress=True),
), "robots.registry:ROBOTS")  # fmt: skip


def make_robot(
    name: str,
    *,
    domain_spec: DomainSpec,
    task: Task,
    seed: int = 0,
    openness: float = 1.0,
    rates: Mapping[str, float] | None = None,
    pictures: bool = True,
    pace: float = 0.0,
    options: Mapping[str, str] | None = None,
    is_chosen: bool = True,
    notify: Callable[[str], None] = show_nothing,
) -> Robot:
    """Make the named robot, ready for the first step of the task. `notify` shows how far a slow start is.

    A robot that nobody has chosen (`is_chosen` False) is made only if it is certain to be no real one. Raises
    UnknownName, BadValue for such a robot or a value that is out of range, and RobotError for a robot without
    a ledger of permits, which is closed again.
    """
    entry = ROBOTS[name]
    if not is_chosen and not ROBOTS.is_simulated(name, options or {}):
        raise BadValue(
            f"Nobody has chosen the robot {name!r}, which may be a real one: choose it in the set-up, or "
            f"start with --robot {name}."
        )
    robot: Robot = entry.build(
        options=entry.read_options(options or {}),
        domain_spec=domain_spec,
        task=task,
        seed=seed,
        openness=openness,
        rates=rates,
        pictures=pictures,
        pace=pace,
        **({"notify": notify} if entry.reports_progress else {}),
    )
    if not isinstance(getattr(robot, "permits", None), PermitLedger):  # one of a plug-in from before permits
        robot.close()
        raise RobotError(
            f"The robot {name!r} has no ledger of permits, so nothing may move it: give it "
            "`self.permits = PermitLedger(...)` as docs/write-a-robot.md says."
        )
    return robot
