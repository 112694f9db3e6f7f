"""Two people at two terminals and one emulated arm: one asks for it, the other one gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.events import ArmHandover, HandoverStage, StopRequested
from core.log.store import Store
from robots.ur5e.emulator.process import EmulatorProcess
from tests.app.cli.test_terminal_operator import terminal
from tests.robots.ur5e.conftest import fresh_address

PATIENCE = 120  # seconds


@pytest.mark.gl
@pytest.mark.long
def test_that_an_arm_goes_from_one_terminal_to_the_other_in_both_logs(tmp_path: Path) -> None:
    bench = EmulatorProcess(fresh_address(), "tabletop")

    def run(name: str, *more: str) -> tuple[str, ...]:
        log = str(tmp_path / f"{name}.db")
        arm = ("--robot", "ur5e", "--arm", bench.address, "--answerer", "perfect", "--openness", "0")
        return ("run", "collect_eggplant", *arm, "--operator", name, "--database", log, *more)

    try:
        with terminal(*run("Anna", "--ask")) as anna:
            anna.until("next: ", PATIENCE)
            with terminal(*run("Carl")) as carl:
                carl.until(r"Anna \(terminal \d+\) moves this arm. Run with --ask to ask for it.", PATIENCE)
                assert carl.ended(PATIENCE) == 1, "nobody is asked there, so it ends"
            with terminal(*run("Ben", "--ask")) as ben:
                ben.until(
                    r"Motion is stopped: Anna \(terminal \d+\) moves this arm: ask for it first", PATIENCE
                )
                ben.type("release")
                ben.until(r"Anna \(terminal \d+\) moves this arm: ask", PATIENCE)
                ben.until("you can type: ask")
                ben.type("ask")
                anna.until(r"Ben \(terminal \d+\) asked Anna \(terminal \d+\) for the arm")
                anna.until("you can type: give")
                anna.type("give")
                ben.until(r"Anna \(terminal \d+\) gave up the arm for Ben \(terminal \d+\)")
                ben.until("you can type: take")
                anna.until(r"Motion is stopped: Anna \(terminal \d+\) gave up the arm")
                ben.type("take")
                ben.until(r"Ben \(terminal \d+\) took the arm: nobody moved it")
                ben.type("release")
                ben.until(r"Motion is stopped: Ben \(terminal \d+\) took the arm", PATIENCE)
                ben.type("release")
                ben.until("next: ", PATIENCE)
                for person in (anna, ben):
                    person.type("q")
                    person.until("again:", PATIENCE)
    finally:
        bench.close()
    told = [HandoverStage.ASKED, HandoverStage.GIVEN]
    for name in ("Anna", "Ben"):
        with Store.open(tmp_path / f"{name}.db") as store:
            (episode,) = store.episodes()
            events = [record.event for record in store.records(episode.episode)]
        taken = [HandoverStage.TAKEN] if name == "Ben" else []
        assert [event.stage for event in events if isinstance(event, ArmHandover)] == told + taken
        stops = [event.by for event in events if isinstance(event, StopRequested)]
        assert [by.split()[0] for by in stops] == (["Anna"] if name == "Anna" else [])
