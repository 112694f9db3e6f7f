"""List the changes learnt about a domain: where each is from, and how often it served. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from core.episode_state import EpisodeState
from core.knowledge.changes import LearntChange
from core.log.knowledge_store import AdmittedChange, admitted_in
from core.text.plural import plural
from core.text.untrusted_text import one_line


@dataclass(frozen=True)
class KnownChange:
    """A change as it stands in the domain's file, or would: later episodes begin with it while it is kept."""

    entry: AdmittedChange
    stored: bool
    in_force: bool  # in the episode that is shown

    @property
    def learnt(self) -> LearntChange:
        return self.entry.learnt

    @property
    def kept(self) -> bool:
        return self.stored and self.entry.kept

    @property
    def origin(self) -> str:
        """Return where it is from: "episode 2026…, admitted by ada"."""
        if not self.learnt.change.lasting:
            return "of this episode only"
        did = "refused" if self.stored and not self.kept and self.entry.refused else "admitted"
        who = f"{did} by {one_line(self.entry.by, 60) or 'nobody: not kept'}"
        where = f"episode {one_line(self.learnt.episode, 60)}" if self.learnt.episode else "this episode"
        return f"{where}, {who}"

    @property
    def counts(self) -> str:
        """Return how often it served and was refused, "" for what is not stored."""
        if not self.stored:
            return ""
        served, refused = plural(self.entry.served, "episode"), plural(self.entry.refused, "time")
        return f"served in {served}, refused {refused}"


def known_changes(state: EpisodeState, kept: tuple[AdmittedChange, ...]) -> tuple[KnownChange, ...]:
    """Return what is stored, the kept changes first, then what is in force in this episode only."""
    force = {learnt.change for learnt in state.knowledge}
    new = {one.learnt.change: one.by for one in admitted_in(state)}
    ours = {k.learnt.change for k in kept}
    first = (KnownChange(k, True, k.learnt.change in force) for k in sorted(kept, key=lambda k: not k.kept))
    rest = (learnt for learnt in state.knowledge if learnt.change not in ours)
    here = (AdmittedChange(one, new.get(one.change, ""), kept=False) for one in rest)
    return (*first, *(KnownChange(one, False, True) for one in here))
