from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from core.belief import Atom, Purpose, Verdict
from core.domains import DEFAULT_SITUATIONS, Perception, WorldRules
from core.errors import BadDomain, BadFile, UnknownName
from core.planning import domain_library
from core.planning.domain_check import check_folder
from core.planning_model import Step
from tests.core.planning.shared import FIXTURES, LENGTHS

BLOCKS = FIXTURES / "blocks"


def test_that_a_folder_with_words_is_read(tmp_path: Path) -> None:
    folder = domain_library.load_domain_spec(BLOCKS)
    assert (folder.name, folder.default_robot, folder.variant, folder.variants) == (
        "blocks", "symbolic", "domain", ("domain",)
    )  # fmt: skip
    assert set(folder.tasks) == {"turn_around", "tower_of_three"}
    assert folder.tasks["turn_around"].plan_length == 4
    assert folder.tasks["tower_of_three"].description == "Reach (on a b) and (on b c)."
    assert folder.display_name("a") == "red block" and folder.display_name("c") == "c"
    assert folder.describe_step(Step("stack", ("a", "c"))) == "stack the red block on the c"
    clear = folder.query(Atom("clear", ("a",)), Purpose.CHECK, Verdict.UNKNOWN)
    assert clear and clear.negated and clear.text == "Is there anything on the red block?"
    named = replace(folder, display_names={"c": "orange block"}, verbs={"stack": "put {0} on a {1}"})
    assert named.describe_step(Step("stack", ("a", "c"))) == "put a on an orange block"
    assert folder.perception("handempty") is Perception.SENSE
    assert folder.perception("ontable") is Perception.NONE
    assert folder.skills["stack"].situations[0].rate == 0.2


def test_that_a_folder_without_words_asks_plainly() -> None:
    folder = domain_library.load_domain_spec(FIXTURES / "gripper")
    assert list(folder.tasks) == ["problem1"] and folder.default_robot == "symbolic" and not folder.skills
    asked = [
        folder.query(Atom(name, args), Purpose.CHECK, Verdict.UNKNOWN)
        for name, args in (("at", ("ball1", "rooma")), ("at-robby", ("rooma",)))
    ]
    assert [q.text for q in asked if q] == ["Is this so: ball1 at rooma?", "Is this so: rooma is at robby?"]


def test_that_a_pair_of_files_is_a_folder_with_one_task() -> None:
    folder = domain_library.load_pddl_pair(
        FIXTURES / "ferry" / "domain.pddl", str(FIXTURES / "ferry" / "problem.pddl")
    )
    assert folder.name == "ferry" and list(folder.tasks) == ["two_cars"] and folder.path is None


def test_that_adding_a_folder_is_all_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain_library, "DOMAINS_FOLDER", tmp_path)
    assert domain_library.domain_names() == () and domain_library.all_tasks() == ()
    shutil.copytree(BLOCKS, tmp_path / "blocks")
    shutil.copytree(FIXTURES / "gripper", tmp_path / "gripper")
    assert domain_library.domain_names() == ("blocks", "gripper")
    assert [t.name for t in domain_library.all_tasks()] == ["turn_around", "tower_of_three", "problem1"]
    folder, task = domain_library.load_task("problem1")
    assert (folder.name, task.domain) == ("gripper", "gripper")


@pytest.fixture
def own_shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of a person's own domains, still empty."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    shelf = domain_library.own_domains_folder()
    shelf.mkdir(parents=True)
    return shelf


def test_that_a_persons_own_domain_has_a_name(own_shelf: Path) -> None:
    shutil.copytree(BLOCKS, own_shelf / "my_blocks")
    assert "my_blocks" in domain_library.domain_names()
    assert domain_library.domain_of_task("tower_of_three") == "my_blocks"
    assert domain_library.domain_outline("my_blocks").tasks == ("turn_around", "tower_of_three")
    folder, task = domain_library.load_task("tower_of_three")
    assert folder.path == own_shelf / "my_blocks" and task.domain == "my_blocks"
    assert check_folder("my_blocks") == check_folder(str(BLOCKS))


def test_that_a_shipped_domain_and_task_win_over_a_persons_own(own_shelf: Path) -> None:
    shutil.copytree(BLOCKS, own_shelf / "household")
    mine = shutil.copytree(domain_library.DOMAINS_FOLDER / "household", own_shelf / "mine")
    assert domain_library.load_domain_spec("household").tasks.keys() >= {"boil_water"}
    assert domain_library.load_task("boil_water")[0].path == domain_library.DOMAINS_FOLDER / "household"
    assert domain_library.default_task_for_robot("kitchen").domain == "household"
    assert domain_library.load_domain_spec("mine").path == mine


def test_that_a_broken_domain_of_ones_own_hides_no_other(own_shelf: Path) -> None:
    (own_shelf / "broken").mkdir()
    (own_shelf / "broken" / "domain.toml").write_text("[tasks\n")
    refused: list[str] = []
    assert "boil_water" in {t.name for t in domain_library.all_tasks(lambda e: refused.append(str(e)))}
    assert len(refused) == 1 and "broken" in refused[0]
    assert domain_library.load_task("boil_water")[0].name == "household"


def test_that_the_shipped_tasks_are_the_papers() -> None:
    household = domain_library.load_domain_spec("household")
    assert {t.name: t.plan_length for t in household.tasks.values()} == LENGTHS


def test_that_unknown_names_are_told() -> None:
    with pytest.raises(UnknownName, match="There is no task named 'boil_watr': did you mean boil_water"):
        domain_library.load_task("boil_watr")
    with pytest.raises(UnknownName, match="There is no variant named 'new': known: printed, repaired"):
        domain_library.load_task("boil_water", "new")
    with pytest.raises(UnknownName, match="There is no domain named 'houshold': did you mean household"):
        domain_library.load_domain_spec("houshold")
    with pytest.raises(UnknownName, match="There is no variant named 'printed'"):
        domain_library.load_domain_spec(FIXTURES / "gripper", "printed")


def test_that_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"It needs a domain\.toml or a domain\.pddl"):
        domain_library.load_domain_spec(tmp_path)


def test_that_a_file_with_words_only_leaves_the_tasks_to_the_problem_files(tmp_path: Path) -> None:
    folder = tmp_path / "ferry"
    shutil.copytree(FIXTURES / "ferry", folder)
    (folder / "domain.toml").unlink(missing_ok=True)
    plain = domain_library.load_domain_spec(folder)
    thing = next(iter(plain.tasks.values())).problem.all_objects[0].name
    (folder / "domain.toml").write_text(f'[names]\n{thing} = "the thing"\n')
    worded = domain_library.load_domain_spec(folder)
    assert list(worded.tasks) == list(plain.tasks) and worded.display_name(thing) == "the thing"
    task = next(iter(worded.tasks))
    assert domain_library.pddl_files(worded, task)[1].exists()
    for file in folder.glob("**/problem*.pddl"):
        file.unlink()
    with pytest.raises(BadFile, match="the domain has no task: put a problem into tasks/"):
        domain_library.load_domain_spec(folder)


def test_that_a_problem_that_is_not_listed_is_told_with_the_lines_that_list_it(tmp_path: Path) -> None:
    folder = shutil.copytree(BLOCKS, tmp_path / "blocks")
    shutil.copy(folder / "tasks" / "turn_around.pddl", folder / "tasks" / "mine.pddl")
    assert domain_library.unlisted_problems(folder) == (folder / "tasks" / "mine.pddl",)
    lines = r'Add \[tasks\.mine\] with file = "tasks/mine\.pddl"'
    with pytest.raises(BadFile, match=rf"domain\.toml: lists its tasks, but not tasks/mine\.pddl\. {lines}"):
        domain_library.find_task("mine", str(folder))
    (gap,) = [f for f in check_folder(str(folder)) if f.subject == "tasks/mine.pddl"]
    assert (gap.problem, gap.consequence) == ("there is no [tasks.mine]", "it is no task")
    toml = folder / "domain.toml"
    toml.write_text(f'{toml.read_text()}\n[tasks.mine]\nfile = "tasks/mine.pddl"\n')
    assert domain_library.find_task("mine", str(folder))[1].name == "mine"
    with pytest.raises(UnknownName, match="There is no task named 'yours'"):
        domain_library.find_task("yours", str(folder))


def broken(tmp_path: Path, old: str, new: str, file: str = "domain.toml") -> Path:
    shutil.copytree(BLOCKS, tmp_path / "blocks")
    path = tmp_path / "blocks" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return tmp_path / "blocks"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("description", "descripton", "descripton is not a known key"),
        ('"Blocks world: stack blocks with one arm."', "3", "description must be text, not 3"),
        (
            "plan_length = 4",
            'plan_length = "4"',
            "turn_around.plan_length must be a whole number, not '4'",
        ),
        ("plan_length = 4", "steps = 4", "tasks.turn_around.steps is not a known key"),
        ('file = "tasks/turn_around.pddl"', "", "tasks.turn_around.file is missing"),
        ("turn_around.pddl", "none.pddl", "there is no such file"),
        ('a = "red', 'z = "red', "there is no object named 'z' (known: a, b, c)"),
        ('stack = "stack', 'stak = "stack', "there is no action named 'stak' (did you mean 'stack'?)"),
        ('the {0} on the {1}"\n\n[pred', 'the {2}"\n\n[pred', "may use only {0}, {1}"),
        ("[predicates.clear]", "[predicates.cleer]", "there is no predicate named 'cleer'"),
        (
            'perception = "sense"',
            'perception = "smell"',
            "must be 'vision', 'on demand', 'sense' or 'none', not 'smell'",
        ),
        ('question = "Is the {0} on the {1}?"', "", "what is asked about needs a question"),
        ('perception = "sense"', 'perception = "on demand"', "what is asked about needs a question"),
        ("Is the {0} on the {1}?", "Is the {0} on the {3}?", "may use only {0}, {1}"),
        ("negated = true", "negated = 1", "negated must be true or false"),
        ("[skills.stack]", "[skills.pile]", "there is no action named 'pile'"),
        ("rate = 0.2", "rate = 1.2", "skills.stack.situations number 1, rate must be at most 1, not 1.2"),
        ("rate = 0.2", 'rate = 0.2, drops = "?2"', "there is no term named '?2' (known: ?0, ?1, ?held)"),
        ("rate = 0.2", 'rate = 0.2, effects = ["(ontable ?0 ?1)"]', "(ontable ...) takes 1 term, found 2"),
        ("rate = 0.2", 'rate = 0.2, effects = ["ontable ?0"]', "expected '(predicate ?x ...)'"),
        (
            "[skills.stack]",
            '[[rules]]\nreason = "x"\nforall = "?b block"\n[skills.stack]',
            "rules number 1, forall: it must",
        ),
        (
            "[skills.stack]",
            '[[rules]]\nreason = "x"\nforall = "?b - brick"\n[skills.stack]',
            "no type named 'brick'",
        ),
        (
            "[names]",
            '[[rules]]\nreason = "x"\nthen = ["(clear ?z)"]\n[names]',
            "rules number 1: then: ?z in (clear ?z) stands neither in forall nor in where",
        ),
        (
            "[skills.stack]",
            "[[mutexes]]\nof = []\n[skills.stack]",
            "mutexes number 1, reason is missing",
        ),
        ('perception = "sense"', 'perception = "sense"\nbookkeeping = true', "neither seen nor sensed"),
        ("[skills.stack]", "[skills.stack]\ntakes = [2]", "by position, 0 to 1, not [2]"),
        (
            "[skills.stack]",
            '[skills.stack]\ntakes = ["?0"]',
            "stack.takes number 1 must be a whole number",
        ),
        ("[skills.stack]", '[skills.stack]\nfeels = ["it slips"]', "no situation named 'it slips'"),
        ("[skills.stack]", "[skills.stack]\nmoves_camera = 1", "moves_camera must be true or false"),
        ("[names]", '[[situations]]\nname = "x"\nrate = 0.1\ndrops = "?0"\n[names]', "known: ?held"),
        (
            "[names]",
            '[[visibility]]\nreason = "x"\nshows = "?b"\nwhere = []\n[names]',
            "shows must be a variable",
        ),
        (
            "[names]",
            '[[visibility]]\nreason = "x"\nshows = "?b"\nwhere = ["(clear ?b)"]\nprobability = 2\n[names]',
            "visibility number 1, probability must be at most 1, not 2",
        ),
        (
            "[names]",
            '[[visibility]]\nreason = "x"\nshows = "?b"\nwhere = ["(clear ?b)"]\nhides = ["cleer"]\n[names]',
            "visibility number 1, hides: there is no predicate named 'cleer' (did you mean 'clear'?)",
        ),
        ("[names]", '[[world.laws]]\nreason = "x"\n[names]', "world.laws is not a known key"),
        ("plan_length = 4", 'world_domain = "w.pddl"', "world_domain needs a world"),
        ("plan_length = 4", 'world = "w.pddl"', "there is no such file"),
        ("[names]", "[names", "is not TOML"),
        ("description", 'default = "new"\ndescription', "there is no variant named 'new' (known: domain)"),
    ],
)
def test_that_a_slip_in_a_folder_is_told_with_its_place(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    folder = broken(tmp_path, old, new)
    with pytest.raises(BadFile) as caught:
        domain_library.load_domain_spec(folder)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(folder)) and "\n" not in str(caught.value)


def test_that_a_folder_with_the_keys_of_earlier_versions_is_read(tmp_path: Path) -> None:
    rule = '[[{0}]]\n{1} = "x"\nforall = "?b - block"\nof = ["(holding ?b)", "(ontable ?b)"]\n'
    seen = '[[{0}]]\n{1} = "x"\nshows = "?b"\nwhere = ["(clear ?b)"]\n{2} = 0.5\n[names]'
    older = rule.format("exclusive", "why") + seen.format("sight", "why", "share")
    newer = rule.format("mutexes", "reason") + seen.format("visibility", "reason", "probability")
    for name, text in (("older", older), ("newer", newer)):
        (tmp_path / name).mkdir()
        broken(tmp_path / name, "[names]", text)
    old, new = (domain_library.load_domain_spec(str(tmp_path / n / "blocks")) for n in ("older", "newer"))
    assert new.mutexes and new.visibility_rules
    assert (old.mutexes, old.visibility_rules) == (new.mutexes, new.visibility_rules)
    with pytest.raises(BadFile, match="why is not a known key"):
        domain_library.load_domain_spec(
            broken(tmp_path, "[names]", '[[rules]]\nreason = "x"\nwhy = "y"\n[names]')
        )


def test_that_what_a_folder_says_of_its_skills_is_read(tmp_path: Path) -> None:
    more = """[[situations]]
name = "it is struck by a cat"
rate = 0.1

[skills.stack]
arguments = [0]
moves_camera = true
detects = true
"""
    folder = domain_library.load_domain_spec(broken(tmp_path, "[skills.stack]", more))
    stack = folder.skills["stack"]
    assert (stack.argument_positions, stack.moves_camera, stack.detects) == (
        (0,),
        True,
        ("the block stays in the hand",),
    )
    assert folder.relevant_args(Step("stack", ("a", "b"))) == ("a",)
    assert folder.relevant_args(Step("unstack", ("a", "b"))) == ("a", "b")
    assert [s.name for s in folder.situations_of("stack")] == ["the block stays in the hand"]
    assert [s.name for s in folder.situations_of("unstack")] == ["it is struck by a cat"]
    assert folder.default_situations == ()


def test_that_defaults_are_expected_where_nobody_says_what_goes_wrong() -> None:
    bare, worded = (
        domain_library.load_domain_spec(FIXTURES / "gripper"),
        domain_library.load_domain_spec(BLOCKS),
    )
    assert bare.expected_situations("pick") == DEFAULT_SITUATIONS and bare.situations_of("pick") == ()
    assert worded.expected_situations("unstack") == ()


def test_that_what_the_agent_assumes_is_no_law_of_the_world(tmp_path: Path) -> None:
    rule = (
        '[[rules]]\nreason = "x"\nforall = "?b - block"\nunless = ["(on ?b ?x)"]\nthen = ["(ontable ?b)"]\n'
    )
    one = '[[mutexes]]\nreason = "x"\nforall = "?b - block"\nof = ["(on ?b ?x)", "(ontable ?b)"]\n'
    folder = domain_library.load_domain_spec(broken(tmp_path, "[names]", rule + one + "[names]"))
    assert folder.rules and folder.mutexes
    assert folder.world_rules == WorldRules()


@pytest.mark.parametrize("name", domain_library.domain_names())
def test_that_every_shipped_domain_says_what_follows_when_something_falls(name: str) -> None:
    folder = domain_library.load_domain_spec(name)
    drops = any(s.drops for skill in folder.skills.values() for s in skill.situations)
    laws = folder.world_rules
    assert not drops or (laws.rules and laws.mutexes)


def test_that_found_only_keeps_books() -> None:
    assert domain_library.load_domain_spec("household").bookkeeping == {"found"}


def test_that_a_broken_task_file_is_told(tmp_path: Path) -> None:
    folder = broken(tmp_path, "(ontable b)", "(ontable d)", "tasks/turn_around.pddl")
    with pytest.raises(BadDomain, match=r"turn_around\.pddl, line 4: there is no object or constant"):
        domain_library.load_domain_spec(folder)


def test_that_a_changed_file_is_read_again_though_nothing_else_about_it_changed(tmp_path: Path) -> None:
    path = shutil.copytree(BLOCKS, tmp_path / "blocks")
    before = domain_library.load_domain_spec(path)
    assert domain_library.load_domain_spec(path) is before
    file = next(f for f in path.rglob("*.pddl") if "(on a b)" in f.read_text())
    times = file.stat()
    file.write_text(file.read_text().replace("(on a b)", "(on b a)"))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    after = domain_library.load_domain_spec(path)
    assert after.tasks != before.tasks
