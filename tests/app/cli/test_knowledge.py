"""What was counted over episodes is listed in words, forgotten, kept again and removed."""

from __future__ import annotations

from pathlib import Path

from core.knowledge.changes import A_FALL, AllowSubstitute, LearntChange, SideEffect
from core.log.knowledge_store import AdmittedChange, KnowledgeStore
from tests.command import call

COUNTS = (
    SideEffect("cap", "the cap sticks", None, 3, 41, "symbolic", episodes=4),
    SideEffect(A_FALL, "filled", True, 2, 2.5, "symbolic"),
    SideEffect("cap", "the cap sticks", None, 2, 3, "symbolic", "error #"),
)


def test_that_rates_are_shown_and_forgotten(tmp_path: Path) -> None:
    store, mug = KnowledgeStore(tmp_path / "knowledge"), AllowSubstitute("mug", "tube")
    kept = (LearntChange(change, episode="20261128-1") for change in (mug, *COUNTS))
    store.update("rack", lambda _: tuple(AdmittedChange(one, "ada") for one in kept))

    def knowledge(*words: str) -> str:
        result = call("knowledge", "rack", *words, "--database", tmp_path / "log.db")
        return " ".join(result.output.split()) if result.exit_code == 0 else f"exit {result.exit_code}"

    def in_force() -> list[bool]:
        return [one.kept for one in store.load("rack")]

    said = knowledge()
    assert "“cap”: the cap sticks in 3 of 41 tries, 4 episodes with" in said and "last counted by ada" in said
    assert "“a fall”: the thing is not filled afterwards in 2 of 2.5 tries, 1 episode with" in said
    assert "“cap” failed, “error #”: the cap sticks in 2 of 3 tries" in said
    assert "2 forgotten: “cap”" in knowledge("forget", "2") and in_force() == [True, False, True, True]
    knowledge("keep", "2")
    knowledge("forget")  # all that was counted
    assert in_force() == [True, False, False, False]
    assert knowledge("remove", "5") == knowledge("forget", "0") == "exit 2" and len(in_force()) == 4
    assert knowledge("remove") == "exit 2" and len(in_force()) == 4
    knowledge("remove", "--all")
    assert [one.learnt.change for one in store.load("rack")] == [mug]
