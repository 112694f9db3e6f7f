"""Begin an episode with what was learnt about its domain before, and keep what it learns."""

from __future__ import annotations

from collections.abc import Callable

from core.config import EpisodeComponents
from core.episode import with_knowledge
from core.episode_state import EpisodeState
from core.errors import ConsoleError
from core.knowledge.changes import Knowledge, SideEffect
from core.log.knowledge_store import KnowledgeStore, after_episode, usable
from core.policy import HandlesSituations, LearnsSideEffects


class KeptKnowledge:
    """What cannot be read or used is reported and leaves the domain unchanged. Episode's thread only."""

    def __init__(self, store: KnowledgeStore | None, notify: Callable[[str], None]) -> None:
        self._store, self._notify = store, notify
        self._faults: tuple[str, ...] = ()

    def begin(self, components: EpisodeComponents) -> EpisodeComponents:
        """Return the components with what was learnt before, unless a fork brought its own."""
        handles = isinstance(components.method, HandlesSituations)
        takes = handles or isinstance(components.method, LearnsSideEffects)
        if self._store is None or not takes or components.knowledge.changes or _is_fork(components):
            return components
        try:
            admitted = self._store.load(components.domain_spec.name)
        except ConsoleError as error:
            self._faults = (str(error),)
            return components
        if not handles:
            admitted = tuple(one for one in admitted if isinstance(one.learnt.change, SideEffect))
        changes, self._faults = usable(components.task.problem, admitted)
        return with_knowledge(components, Knowledge(changes)) if changes else components

    def report_faults(self) -> None:
        """Report what could not be used, once there is an episode to record it in."""
        for fault in self._faults:
            self._notify(fault)

    def keep(self, state: EpisodeState, components: EpisodeComponents) -> None:
        """Keep what a person admitted for later episodes of the domain, and count what served."""
        if self._store is None or not (state.knowledge or state.suggestions):
            return
        try:
            self._store.update(components.domain_spec.name, lambda old: after_episode(old, state))
        except ConsoleError as error:
            self._notify(str(error))


def _is_fork(components: EpisodeComponents) -> bool:
    return bool(components.settings.as_strings().get("parent"))
