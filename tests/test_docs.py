"""The pages hang together, and name only targets and verbs that are there."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from pathlib import Path
from shutil import which

import pytest
import typer

from app.cli.command_line import COMMANDS, command_line, load
from core.belief import BeliefSource
from core.config import Settings
from core.episode_state import EpisodeCounts
from core.reason import Cause
from main import program
from tests.episodes import Outcome

ROOT = Path(__file__).parents[1]
DOCS = [page for page in ROOT.glob("docs/**/*.md") if not page.is_symlink()]  # one leads to CHANGELOG.md
PAGES = sorted([*ROOT.glob("*.md"), *DOCS])


def found(pattern: str, flags: int = 0) -> list[tuple[Path, re.Match[str]]]:
    """Each place in the pages where this stands."""
    return [(page, match) for page in PAGES for match in re.finditer(pattern, page.read_text(), flags)]


def test_that_every_link_leads_somewhere() -> None:
    links = [(page, *match.groups()) for page, match in found(r"\]\(([^)#\s]*)#?([^)\s]*)\)")]
    ours = [(page, page.parent / path if path else page, a) for page, path, a in links if "://" not in path]
    assert [(page, target) for page, target, _ in ours if not target.exists()] == []
    assert [(p, t, a) for p, t, a in ours if a and t.suffix == ".md" and a not in anchors(t)] == []


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head).lower().strip() for head in heads)
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in plain}


def test_that_every_page_is_found_from_the_index() -> None:
    linked = {(ROOT / "docs" / link).resolve() for link in re.findall(r"\]\(([^)#]+)", page_named("index"))}
    pages = {page for page in PAGES if page.is_relative_to(ROOT / "docs") and page.stem != "index"}
    assert sorted(str(page.relative_to(ROOT)) for page in pages - linked) == []


def page_named(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text()


def test_that_every_make_target_named_is_one() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = found(r"^make ([a-z-]+)|`make ([a-z-]+)", re.MULTILINE)
    assert [(page, made[0]) for page, made in named if (made[1] or made[2]) not in targets] == []


def test_that_every_command_named_takes_its_options() -> None:
    text = "\n".join(page.read_text() for page in PAGES).replace("\\\n", " ")
    code = re.findall(r"`([^`\n]+)`|^(?: {4})?(python main.*)$", text, re.MULTILINE)
    for line in map("".join, code):
        for call in re.findall(r"(?:python main\.py|dkprompt)(?= |$)([^|&;`]*)", line):
            words = [word for word in call.split("  #")[0].split() if not word.startswith("<")]
            verb, options = command_of(words)
            given = {word.split("=")[0] for word in words if re.fullmatch(r"--?[a-z].*", word)}
            assert given - {"--help"} <= options, f"{line}: {verb} has no {given - options}"


def command_of(words: list[str]) -> tuple[str, set[str]]:
    """The command that the words begin with, and its options."""
    command, name = typer.main.get_command(cli()), []
    for word in words:
        if not getattr(command, "commands", None) or not re.fullmatch(r"[a-z][\w-]*", word):
            break
        name.append(word)
        command = load(name[0]) if len(name) == 1 and name[0] in COMMANDS else command.commands[name[-1]]
    options = {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
    return " ".join(name), options


@cache
def cli() -> typer.Typer:
    return command_line(program())


def test_that_every_test_named_in_a_page_is_there() -> None:
    """`path` is a file of tests, `path::name` its function `test_that_name`, `path -k name` chooses some."""

    def is_there(path: str, name: str, some: str) -> bool:
        file = ROOT / path
        code = file.read_text() if file.is_file() else ""
        return bool(code) and f"def test_that_{name}(" * bool(name) in code and bool(re.search(some, code))

    whole = r"(?<!file: )(?<![\w/])(tests/[\w/]+\.py)(?:::(\w+)| -k ([a-z_]+))?"
    named = [(page, m[1], m[2] or "", rf"def test_\w*{m[3]}" if m[3] else "") for page, m in found(whole)]
    assert [one for one in named if not is_there(*one[1:])] == []


def test_that_no_test_of_the_safety_page_is_a_long_one() -> None:
    named = re.findall(r"(tests/[\w/]+\.py)::(\w+)", page_named("safety"))
    long = r"^@pytest\.mark\.long\n(?:[@ )\]].*\n)*def test_that_{}\("
    assert [n for f, n in named if re.search(long.format(n), (ROOT / f).read_text(), re.MULTILINE)] == []


def test_that_every_file_named_is_there() -> None:
    """But for those of an older commit, which the same cell or sentence names."""
    tops = "app|benchmarks|core|docs|domains|resources|robots|scripts|tests|training"
    named = found(rf"`((?:{tops})/[\w./-]+)`(?! of [0-9a-f]{{7}})")
    of_now = [(page, match[1]) for page, match in named if page.name != "CHANGELOG.md"]
    assert [(page, name) for page, name in of_now if not (ROOT / name).exists()] == []


def test_that_every_commit_named_is_one() -> None:
    text = "\n".join(page.read_text() for page in PAGES if page.name != "CHANGELOG.md")
    named = sorted({word for word in re.findall(r"\b[0-9a-f]{7,8}\b", text) if re.search("[a-f]", word)})
    named = [word for word in named if re.search(r"\d", word)]
    if which("git") is None:
        pytest.skip("no git here")
    git = ("git", "-C", str(ROOT))
    shallow = subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True)
    if shallow.stdout.strip() != "false":
        pytest.skip("no history here")
    # This branch's own history: what was rebased away is in no clone, though its objects may still be here.
    history = subprocess.run([*git, "rev-list", "HEAD"], capture_output=True, text=True).stdout.split()
    assert [name for name in named if not any(commit.startswith(name) for commit in history)] == []


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("parts", (f.name for f in fields(Outcome))),
        ("reference", (f.name for f in fields(Settings))),
        ("write-a-panel", (f.name for f in fields(EpisodeCounts))),
        ("write-a-method", (member.name for kind in (Cause, BeliefSource) for member in kind)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_that_a_table_of_a_page_leaves_nothing_out(page: str, names: Iterable[str]) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text()
    assert [name for name in names if f"`{name}`" not in text] == []


def test_that_the_documentation_stays_within_fifty_thousand_words() -> None:
    """A new sentence takes the place of an old one."""
    assert sum(len(page.read_text("utf-8").split()) for page in DOCS) <= 50_000
