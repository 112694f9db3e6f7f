"""Begin an episode with what was learnt about its domain before, and keep what it learns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.config import EpisodeComponents, Settings
from core.domains import DomainSpec, Task
from core.episode import with_knowledge
from core.episode_state import EpisodeState
from core.errors import ConsoleError
from core.knowledge.changes import Knowledge, LearntChange, SideEffect
from core.log.knowledge_store import Admitted, KnowledgeStore, after_episode, usable, with_counts
from core.operator import operator_name
from core.policy import HandlesSituations, LearnsRates
from core.ports import Embodiment
from core.robots import RobotRegistry
from core.text.untrusted_text import one_line


class KeptKnowledge:
    """What cannot be read or used is reported and leaves the domain unchanged. Episode's thread only."""

    def __init__(self, store: KnowledgeStore | None, notify: Callable[[str], None]) -> None:
        self._store, self._notify = store, notify
        self._faults: tuple[str, ...] = ()

    def begin(self, components: EpisodeComponents) -> EpisodeComponents:
        """Return the components with what was learnt before, unless a fork brought its own."""
        method, store = components.method, self._store
        handles, learns = isinstance(method, HandlesSituations), isinstance(method, LearnsRates)
        if store is None or not (handles or learns) or components.knowledge.changes or _is_fork(components):
            return components
        try:
            known = _admitted(store, components.domain_spec, _world_of(components), handles)
        except ConsoleError as error:
            self._faults = (str(error),)
            return components
        changes, self._faults = usable(components.task.problem, known)
        return with_knowledge(components, Knowledge(changes)) if changes or learns else components

    def report_faults(self) -> None:
        """Report what could not be used, once there is an episode to record it in."""
        for fault in self._faults:
            self._notify(fault)

    def keep(self, state: EpisodeState, components: EpisodeComponents) -> None:
        """Keep what a person admitted and the method counted for later episodes, and how often it served."""
        method, counted = components.method, tuple[LearntChange, ...]()
        if isinstance(method, LearnsRates) and not _is_fork(components):
            counted = method.counted(_world_of(components))
        if self._store is None or not (state.knowledge or state.suggestions or counted):
            return

        def after(old: Admitted) -> Admitted:
            return with_counts(after_episode(old, state), counted, state.episode, operator_name())

        try:
            self._store.update(components.domain_spec.name, after)
        except ConsoleError as error:
            self._notify(str(error))


def known_before(
    logs: Path, settings: Settings, spec: DomainSpec, task: Task, robots: RobotRegistry
) -> Knowledge:
    """Return what an episode of `careful` with these settings would begin with; `logs` is the log's folder.

    Raises BadFile, UnknownName and BadValue.
    """
    robot = settings.robot or spec.default_robot
    world = _world(settings, spec, robots.is_simulated(robot, settings.options_for("robot")))
    return Knowledge(usable(task.problem, _admitted(KnowledgeStore(logs / "knowledge"), spec, world))[0])


def _admitted(store: KnowledgeStore, spec: DomainSpec, world: str, handles: bool = False) -> Admitted:
    """Return what is stored of side effects and of this world; all else if the method `handles` it."""
    found = ((one, isinstance(one.learnt.change, SideEffect)) for one in store.load(spec.name))
    return tuple(o for o, rate in found if (o.learnt.robot in ("", world) if rate else handles))


def _world_of(components: EpisodeComponents) -> str:
    """Return where the method's counts hold, "" if it shall learn no rates."""
    method, real = components.method, components.robot.embodiment is Embodiment.REAL
    learns = isinstance(method, LearnsRates) and method.learns_rates
    return _world(components.settings, components.domain_spec, not real) if learns else ""


def _world(settings: Settings, spec: DomainSpec, simulated: bool) -> str:
    """Return the name under which counts are kept: other robots, and other simulations, fare otherwise."""
    options = (f", {name} {value}" for name, value in sorted(settings.options_for("robot").items()))
    chosen = f", openness {settings.openness:g}{''.join(options)}" if simulated else ""
    return one_line(f"{settings.robot or spec.default_robot}{chosen}", 120)


def _is_fork(components: EpisodeComponents) -> bool:
    return bool(components.settings.as_strings().get("parent"))
