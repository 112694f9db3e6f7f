"""A draft goes in rounds to files that agree, in the log before they count, and is kept as a folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import cast
from unittest.mock import Mock

import pytest

from core.drafting.agreement import Walks, compare
from core.drafting.edits import Edit, LiteralEdit
from core.drafting.plans import far_walk, planner
from core.drafting.record import DRAFT, DraftRecord
from core.drafting.repair import Repair, Repaired, repair
from core.drafting.replies import Run
from core.drafting.rounds import FIRST_SEED, METHODS, Version, Workbench, draft
from core.drafting.simulated import SimulatedDrafter, error_rates
from core.drafting.simulator import ErringWorld, WorldSimulator, reaches_goal
from core.drafting.trials import DRAFTS, DraftTrial
from core.drafting.world import World
from core.evaluation.job import JobStore, run_jobs
from core.evaluation.workers import LocalProcesses
from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.pictures import blank_frame
from core.planning.pddl.writer import write_problem
from core.planning_model import Literal
from core.stop_token import StopToken
from core.work import TooMuchWork
from main import paint
from robots.grids.games import games
from tests.command import call
from tests.core.drafting.known import calls, dropped_literals, right, simulating, slipped, steps

SETTINGS = {"map": "frozenlake-3-2", "method": "vlmfp", "answerer": "", "seed": "0", "picture": ""}


class Killed(BaseException):
    """What kill -9 leaves: nothing more is written."""


def versions(name: str, method: str, seed: int, ask: object = None) -> list[Version]:
    game, world, _ = right(name, seed)
    asks = ask or SimulatedDrafter(game, world).ask
    walks = Walks(WorldSimulator(world))
    plan = planner(game, {}, StopToken())
    return list(draft(game, world.name, walks, asks, plan, METHODS[method]))  # type: ignore[arg-type]


def test_that_the_papers_rounds_end_with_ew_1_and_a_valid_plan() -> None:
    ends = [versions("frozenlake", "vlmfp", seed)[-1] for seed in range(3)]
    assert any(end.converged and end.plan for end in ends)
    assert all(end.converged == (end.valid and end.score is not None and end.score.exact) for end in ends)


def test_that_ours_repairs_what_the_model_wrote_and_proves_it() -> None:
    _, repaired, wider = versions("frozenlake", "ours", 8)
    assert (
        repaired.converged
        and repaired.compared == "No difference in all 9 states of this map."
        and repaired.repairs
    )
    assert wider.converged and wider.parent == repaired.number and wider.repairs


def test_that_a_model_that_simulates_is_asked_once_and_may_say_nothing() -> None:
    _, world, _ = right("frozenlake", 2)
    asked: list[str] = []
    model = simulating(world, asked)
    assert model.run(("move up",)) == Run(None) and model.run(("move left",)).done == 0
    walk = model.walk(3, Random(0))
    assert walk and WorldSimulator(world).run(walk).done == len(walk)
    count = len(asked)
    assert model.run(walk).done == len(walk) and len(asked) == count and asked.count("scene") == 1


def test_that_slips_that_its_own_map_does_not_show_are_mended_on_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game, world, problem = right("frozenlake")
    hole = Literal("ice-hole", ("?to",), False)
    up, left = (LiteralEdit(name, False, hole, None) for name in ("move-up", "move-left"))
    wrong = up.apply(left.apply(problem))
    walks, ask = Walks(WorldSimulator(world)), SimulatedDrafter(game, world).ask
    made = Workbench(game, world.name, walks, ask, planner(game, {}, StopToken()), METHODS["ours"])
    unseen = made.written(*made.texts_of(wrong), "ada")
    assert unseen.converged and compare(world, steps(game, wrong)).difference is None
    wider = made.imagined(unseen, unseen)
    assert wider is not None and wider.converged and wider.compared.startswith("No difference")
    needed = {edit.inverse.describe() for edit in (up, left)}
    assert {*wider.repairs} == needed and made.imagined(wider, wider) is None
    used_up = Mock(side_effect=TooMuchWork("It needs more."))
    monkeypatch.setattr("core.drafting.rounds.repair", used_up)
    assert made.imagined(unseen, unseen) is None and used_up.call_count == 1


def test_that_most_maps_count_against_one_whose_judge_errs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.drafting.rounds.SEARCH", 20_000)
    game, world, problem = right("frozenlake", 2)
    wrong = dict(dropped_literals(problem))["move-up without (not (ice-hole ?to))"]
    ask, plan = SimulatedDrafter(game, world).ask, planner(game, {}, StopToken())

    def confused(other: World) -> World:
        return cast(World, ErringWorld(other, 0.3, 0))

    walks = Walks(WorldSimulator(confused(world)))
    made = Workbench(game, world.name, walks, ask, plan, METHODS["ours"])
    drafted = made.written(*made.texts_of(wrong), "ada")
    found = made.imagined(drafted, drafted)
    assert found is not None and not found.converged and "other maps agree" in found.compared
    assert found.problem is not None and compare(world, steps(game, found.problem)).difference is None
    again = made.imagined(found, found)  # nothing to mend, and most agree
    assert again is not None and not again.repairs and again.texts == found.texts
    two = [game.make(size, FIRST_SEED + number) for number, size in enumerate(game.sizes[:2])]
    for right_ones in ((), two):  # fewer than disagree
        none = Workbench(
            game,
            world.name,
            walks,
            ask,
            plan,
            METHODS["ours"],
            lambda other, said=right_ones: other if other in said else confused(other),
        )
        assert none.imagined(drafted, drafted) is None


def test_that_the_simulating_model_errs_on_other_maps_as_often_as_on_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drafted = Mock(side_effect=Killed)
    monkeypatch.setattr("core.drafting.trials.draft", drafted)
    game, shares = games()["sokoban"], []
    for errs in (True, False):
        with pytest.raises(Killed):
            DraftTrial("sokoban", "ours", 1, 1, games, errs).run({}, StopToken())
        judge = drafted.call_args.args[-1]
        maps = [game.make(game.sizes[0], number) for number in range(200)]
        shares.append(sum(judge(one) is not one for one in maps) / len(maps))
    assert shares[1] == 0 and shares[0] == pytest.approx(error_rates("sokoban")["confused"], abs=0.1)


def test_that_a_search_for_repairs_that_led_nowhere_begins_otherwise_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (game, world, problem), (_, edit) = right("frozenlake", 2), slipped(2)
    told = list[set[Edit]]()

    def fails(*_: object, refused: set[Edit], **__: object) -> Repaired:
        told.append(set(refused))
        return Repaired(edit.apply(problem), (Repair(edit, (), (), 1),), False)

    monkeypatch.setattr("core.drafting.rounds.repair", fails)
    walks, plan = Walks(WorldSimulator(world)), planner(game, {}, StopToken())
    made = Workbench(game, world.name, walks, SimulatedDrafter(game, world).ask, plan, METHODS["ours"])
    for one in (problem, problem, edit.apply(problem)):
        made.repaired(made.written(*made.texts_of(one), "ada"))
    assert told == [set(), {edit}, set()]


def test_that_without_update_the_first_draft_stands() -> None:
    assert len(versions("package", "codepddl", 0)) == 1


@pytest.mark.parametrize(("reply", "valid"), [("Plan:\n{}", True), ("Plan:\nmove up", False), ("No.", False)])
def test_that_a_model_may_be_asked_for_a_plan_alone(reply: str, valid: bool) -> None:
    _, world, _ = right("frozenlake", 2)
    steps = "\n".join(far_walk(world))
    (end,) = versions("frozenlake", "cot", 2, lambda purpose, prompt: reply.format(steps))
    assert (end.valid, end.converged) == (valid, valid) and bool(end.feedback) != valid
    assert call("draft", "frozenlake-3-2", "--method", "direct").exit_code == 2


def test_that_a_script_drafts_and_that_a_game_of_ones_own_has_errors_too(tmp_path: Path) -> None:
    _, _, problem = right("frozenlake", 2)
    (script := tmp_path / "mine.json").write_text(json.dumps([write_problem(problem), calls(problem.domain)]))
    kept = ("--to", tmp_path / "drafted", "--database", tmp_path / "log.db")
    drafted = call("draft", "frozenlake-3-2", "--method", "vlmfp", "--answerer", script, *kept)
    assert drafted.exit_code == 0
    assert error_rates("mine") == error_rates("other")


def test_that_replies_that_cannot_be_read_end_with_a_sentence_each() -> None:
    found = versions("frozenlake", "vlmfp", 0, lambda purpose, prompt: "I cannot help with that.")
    assert len(found) == 5 and all(v.problem is None and len(v.faults) == 1 for v in found)


def test_that_missing_links_are_completed_at_once() -> None:
    game, world, problem = right("package", 2)
    cell = {a for a in problem.state if a.predicate == "move-dir" and a.args[0] == "pos-2-2"}
    draft_ = problem.with_state(problem.state - cell)
    found = repair(draft_, game, Walks(WorldSimulator(world)))
    assert found.agrees and found.problem.state == problem.state and len(found.repairs) == len(cell)


@pytest.mark.parametrize("after", [1, 2, 5])
def test_that_a_draft_that_is_killed_goes_on_and_asks_nothing_twice(after: int, tmp_path: Path) -> None:
    game, world, _ = right("frozenlake", 2)
    path, plan = tmp_path / "log.db", planner(game, {}, StopToken())
    asked: list[tuple[str, str]] = []

    def run(most: int) -> tuple[list[Version], DraftRecord | None]:
        drafter, kept = SimulatedDrafter(game, world, 3), list[Version]()

        def ask(purpose: str, prompt: str) -> str:
            if len(asked) >= most:
                raise Killed
            asked.append((purpose, prompt))
            return "modify_action('fly', [], [])" if len(asked) < 8 else drafter.ask(purpose, prompt)

        recorder = Recorder.open(path)
        record = DraftRecord(recorder, "frozenlake", SETTINGS, blank_frame("", 0.0, ""), "test", ask)
        made = draft(game, world.name, Walks(WorldSimulator(world)), record.ask, plan, METHODS["vlmfp"])
        try:
            kept += record.follow(made)
        except Killed:
            recorder._sink.close()  # nothing ends the draft
            return kept, None
        recorder.close()
        return kept, record

    assert run(after)[1] is None
    _, record = run(100)
    assert record is not None and record.repeated == after
    assert record.asked + after == len(asked)
    with Store.open(path, read_only=True) as store:
        assert store.count() == 0  # a draft is no episode
        assert store.count(EpisodeFilter(kinds=(DRAFT,))) == 2


@pytest.mark.long
def test_that_the_verb_writes_a_folder_that_checks_plans_and_agrees(tmp_path: Path) -> None:
    folder, page = tmp_path / "drafted", tmp_path / "page.html"
    words = ("--database", tmp_path / "log.db", "--to", folder, "--report", page, "--json")
    done = call("draft", "frozenlake-3-2", *words)
    assert done.exit_code == 0 and '"converged": true' in done.output, done.output
    assert "data:image/png" in page.read_text() and "Version 1" in page.read_text()
    assert call("ew", "--domain", folder, "--map", "frozenlake-3-2").exit_code == 0
    assert "0 faults, 0 gaps" in " ".join(call("check", folder).output.split())
    assert call("plan", "--domain", folder).exit_code == 0
    assert call("draft", "frozenlake-9-2").exit_code == 2


@pytest.mark.long
def test_that_the_bench_is_the_same_with_one_worker_and_with_two(tmp_path: Path) -> None:
    looks = {"looks": ("lava", "desert"), "paint": paint}
    jobs = [DraftTrial("frozenlake", method, 2, 2, games, **looks) for method in ("vlmfp", "codepddl")]
    tables = []
    for workers in (1, 2):
        with JobStore(tmp_path / f"{workers}.db", DRAFTS) as store:
            found = run_jobs(jobs, store, LocalProcesses(workers))
            assert not found.lost
            tables.append([found.finished[job] for job in jobs])
    assert tables[0] == tables[1] and tables[0][0].unread == 0


def test_that_the_bench_plans_on_the_largest_maps_without_a_clock() -> None:
    game, cancel = games()["multirob"], StopToken()
    world = game.make(max(game.sizes), 811_007)
    words = planner(game, {}, cancel, timed=False)(world.problem(game.reference))
    assert reaches_goal(WorldSimulator(world), words)
    trial = DraftTrial("multirob", "ours", 1, 1, games)
    assert trial.key != replace(trial, every_size=True).key
