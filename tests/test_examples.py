"""The example parts of docs/examples/plugins, as a stranger uses them: from a folder, by name."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli.command_line import command_line
from core.planning import domain_library
from core.plugins import PLUGINS_VARIABLE
from main import program
from robots.registry import ROBOTS

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
PAGE = ROOT / "docs" / "evaluation.md"
Verb = Callable[..., Result]


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> Verb:
    monkeypatch.setenv(PLUGINS_VARIABLE, "")  # what --plugins sets is gone after the test
    cli = command_line(program())
    return lambda *words: CliRunner().invoke(cli, [str(word) for word in words])


def sweep(verb: Verb, log: Path, *more: object) -> Result:
    where = ("run", "--robot", "grid", "--domain", EXAMPLES / "grid", "--plugins", EXAMPLES / "plugins")
    return verb(*where, "--database", log, "--json", *more)


@pytest.mark.long
def test_that_the_grid_robot_runs_an_episode_with_slips(verb: Verb, tmp_path: Path) -> None:
    result = sweep(verb, tmp_path / "log.db", "-o", "robot.slip=0.5", "--seed", 3)
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout.splitlines()[-1])
    assert summary["true_goal"] and summary["replans"] > 0


def test_that_a_robot_without_a_ledger_of_permits_is_refused(verb: Verb, tmp_path: Path) -> None:
    code = (EXAMPLES / "plugins" / "grid.py").read_text()
    ledger = "        self.permits = PermitLedger(self._latch.last_halt)\n"
    assert ledger in code
    (tmp_path / "grid.py").write_text(code.replace(ledger, ""))
    run = ("run", "--robot", "grid", "--domain", EXAMPLES / "grid", "--plugins", tmp_path)
    result = verb(*run, "--database", tmp_path / "log.db")
    assert result.exit_code == 2 and "no ledger of permits" in result.output


def test_that_the_grid_robot_refuses_an_option_out_of_range(verb: Verb, tmp_path: Path) -> None:
    result = sweep(verb, tmp_path / "log.db", "-o", "robot.slip=2")
    assert result.exit_code == 2 and "must be at most 1" in result.output


def test_that_the_eye_answers_from_the_grids_picture(verb: Verb, tmp_path: Path) -> None:
    result = sweep(verb, tmp_path / "log.db", "--answerer", "grid-eye", "-o", "answerer.tolerance=5")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout.splitlines()[-1])["true_goal"]


def test_that_an_episodes_steps_are_exported_as_text(verb: Verb, tmp_path: Path) -> None:
    log, to = tmp_path / "log.db", tmp_path / "steps.txt"
    summary = json.loads(sweep(verb, log, "-o", "robot.slip=0").stdout.splitlines()[-1])
    out = ("episodes", "export", "--plugins", EXAMPLES / "plugins", "--to", to, "--database", log)
    assert verb(*out, summary["episode"]).exit_code == 0
    assert to.read_text().splitlines()[0] == "(move c00 c01): done"
    verb(*out, "-o", "endings=no", summary["episode"])
    assert to.read_text().splitlines()[-1] == "(sweep c22)"


def test_that_the_examples_are_listed_with_their_options(verb: Verb) -> None:
    listed = json.loads(verb("parts", "--plugins", EXAMPLES / "plugins", "--json").stdout)
    found = {(form["kind"], form["name"]): form for form in listed}
    (slip,) = found["robot", "grid"]["options"]
    assert (slip["least"], slip["most"], slip["default"]) == (0, 1, "0.1")
    assert ("answerer", "grid-eye") in found and ("exporter", "txt") in found


@pytest.mark.long
def test_that_a_trial_of_ones_own_runs_from_a_folder_outside_of_the_project(tmp_path: Path) -> None:
    """The command of docs/evaluation.md, with fewer trials: own method, domain and profile."""
    mine = shutil.copytree(EXAMPLES / "trial", tmp_path / "mine")
    command = re.search(r"python main\.py (bench --plugins methods .*?)\n\n", PAGE.read_text(), re.DOTALL)
    assert command is not None
    words = command[1].replace("\\\n", "").replace("--trials 100", "--trials 4").split()
    subprocess.run([sys.executable, ROOT / "main.py", *words], cwd=mine, check=True)
    rows = json.loads((mine / "rows.json").read_text())
    assert {row["method"] for row in rows} == {"dkprompt", "asks-after-risk", "classical"}
    assert {row["task"] for row in rows} == {"fetch_key", "store_key"}
    assert all((row["profile"], row["trials"], row["lost"]) == ("eye.toml", 4, 0) for row in rows)
    asked = {row["method"]: row["mean_questions"] for row in rows if row["task"] == "fetch_key"}
    assert 0 == asked["classical"] < asked["asks-after-risk"] < asked["dkprompt"]
    assert "asks-after-risk" in (mine / "report.html").read_text()


def test_that_a_method_from_a_folder_asks_twice_what_surprises_it(verb: Verb, tmp_path: Path) -> None:
    where = ("run", "halve_egg", "--robot", "symbolic", "--plugins", EXAMPLES / "plugins", "--seed", 3)
    log = tmp_path / "log.db"
    result = verb(*where, "--method", "ask-twice", "--database", log, "--json")
    assert result.exit_code == 0, result.output
    shown = verb("episodes", "show", json.loads(result.stdout.splitlines()[-1])["episode"], "--database", log)
    assert "Look again." in shown.output


def test_that_every_own_call_of_a_method_is_told_with_prompt_and_reply(verb: Verb, tmp_path: Path) -> None:
    where = ("run", "halve_egg", "--robot", "symbolic", "--plugins", ROOT / "tests" / "fixtures" / "plugins")
    log = tmp_path / "log.db"
    chosen = ("--method", "asks-model", "--answerer", "tiny-model", "--openness", 0)
    result = verb(*where, *chosen, "--database", log, "--json")
    assert result.exit_code == 0, result.output
    show = ("episodes", "show", json.loads(result.stdout.splitlines()[-1])["episode"], "--database", log)
    told = " ".join(verb(*show).stdout.split())
    assert "Asked tiny-model: what to watch: the table" in told and "Name one object" not in told
    told = verb(*show, "--prompts").stdout
    for said in ("why: It wants to know", "| You watch a robot. Name one object &", "<b>the table</b>"):
        assert said in told, said
    assert "taken as: the table" in told


def test_that_the_method_of_the_page_runs_by_name(verb: Verb, tmp_path: Path) -> None:
    mine = written(ROOT / "docs" / "write-a-method.md", tmp_path) / "mine"
    run = ("run", "halve_egg", "--robot", "symbolic", "--plugins", mine, "--method", "asks-before")
    shown = verb(*run, "--no-pictures", "--openness", 0, "--database", tmp_path / "log.db", "--json")
    assert json.loads(shown.stdout.splitlines()[-1])["true_goal"], shown.output


def test_that_own_objects_are_ready_for_the_arm_after_the_steps_of_their_page(
    verb: Verb, tmp_path: Path
) -> None:
    parts, page = tmp_path / "parts", ROOT / "docs" / "own-objects.md"
    assert verb("docs", "domains/tabletop", "--to", parts).exit_code == 0
    for old in (parts / "tasks").iterdir():
        old.unlink()
    for file in ("tasks/sort_parts.pddl", "scene.toml"):
        assert verb("docs", f"examples/parts/{file}", "--to", parts / file).exit_code == 0
    task = re.search(r"```toml\n(\[tasks\..*?)```", page.read_text(), re.DOTALL)
    assert task is not None
    toml = (parts / "domain.toml").read_text()
    toml = re.sub(r"\[names\].*?(?=\[verbs\])", "", toml, flags=re.DOTALL)
    (parts / "domain.toml").write_text(
        re.sub(r"\[tasks\.collect_eggplant\].*?(?=# --- words)", lambda _: task[1], toml, flags=re.DOTALL)
    )
    checked = verb("check", parts)
    assert checked.exit_code == 0 and "0 gaps" in checked.output, checked.output
    domain_spec = domain_library.load_domain_spec(parts)
    found = domain_spec.tasks["sort_parts"]
    assert ROBOTS["ur5e"].incompatibilities(domain_spec, found) == ()
    (parts / "scene.toml").write_text("")
    (reason,) = ROBOTS["ur5e"].incompatibilities(domain_spec, found)
    assert "'scene.toml' has no clip, nut, peg, screw, tray: add them" in reason


def written(page: Path, to: Path) -> Path:
    """The files of a page, where its comments say that they lie."""
    files = re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", page.read_text(), re.DOTALL)
    assert files
    for name, text in files:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        (to / name).write_text(text)
    return to
