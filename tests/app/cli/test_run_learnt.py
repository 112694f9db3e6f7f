"""What `run` begins with and keeps of what people let into a domain."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import run as run_file
from core.knowledge.changes import AllowSubstitute, LearntChange
from core.log.knowledge_store import AdmittedChange, KnowledgeStore
from core.loop.gate import AutoOperator
from core.operator import Approve, Decision, Proposal, ProposalKind
from core.ports import Embodiment
from tests.command import call

MUG = AllowSubstitute("mug", "cup")
WORDS = ("serve_water", "--method", "cowp", "--knower", "perfect", "--no-pictures", "--stock", "mug")


def run(log: Path, *words: str) -> str:
    result = call("run", *WORDS, "--database", log, *words)
    assert result.exit_code in (0, 3), result.output
    return result.output


def test_that_an_episode_begins_with_what_was_learnt_before_unless_told_not_to(tmp_path: Path) -> None:
    KnowledgeStore(tmp_path / "knowledge").keep("dining", AdmittedChange(LearntChange(MUG), "ada"))
    assert "learnt before: a mug counts as a cup" in run(tmp_path / "log.db")
    assert "learnt before" not in run(tmp_path / "log.db", "--no-learnt")


class Ada(AutoOperator):
    def decide(self, proposal: Proposal) -> Decision:
        return Approve("ada") if proposal.kind is ProposalKind.DOMAIN_CHANGE else super().decide(proposal)


def test_that_what_a_person_lets_in_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_file, "_operator", lambda *_: Ada(Embodiment.SIM))
    said = run(tmp_path / "log.db", "--situation", "the cup is dirty")
    assert "told by open-world: “the cup is dirty”" in said and "the domain is changed" in said
    again = run(tmp_path / "log.db", "--situation", "the cup is dirty")
    assert "learnt before" in again and "the domain is changed: “fill” now needs" in again
    kept = KnowledgeStore(tmp_path / "knowledge").load("dining")
    assert MUG in [one.learnt.change for one in kept] and {one.by for one in kept} == {"ada"}
