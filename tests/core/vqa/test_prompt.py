from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadFile, UnknownName
from core.ports import ChatMessage
from core.vqa.prompt import build_messages, load_prompt, prompt_names, question_text

QUESTIONS = ("Is the mug inside the cabinet?", "Is the cabinet open?")


def test_that_the_default_prompt_asks_in_the_papers_format() -> None:
    system, user = build_messages(load_prompt(), QUESTIONS)
    assert user == ChatMessage("user", "Is the mug inside the cabinet?; Is the cabinet open?")
    assert system.role == "system"
    for said in ('"yes"', '"no"', '"skip"', "semicolon", "yes;no;skip", "no explanation"):
        assert said in " ".join(system.text.split())


def test_that_asking_again_states_how_many_answers_are_wanted() -> None:
    user = build_messages(load_prompt(), QUESTIONS, stricter=True)[1].text
    assert user.startswith("Is the mug inside the cabinet?; Is the cabinet open?\n")
    assert "questions above is: 2." in user


def test_that_a_question_with_a_semicolon_or_a_line_break_stays_one_question() -> None:
    text = build_messages(load_prompt(), ["Is a; b\n there?", "And c?"])[1].text
    assert text == "Is a, b there?; And c?"


def test_that_a_dollar_sign_in_a_question_is_left_alone() -> None:
    assert build_messages(load_prompt(), ["Is $count $x here?"])[1].text == "Is $count $x here?"


def test_that_structured_questions_are_numbered() -> None:
    assert build_messages(load_prompt("structured"), QUESTIONS)[1].text.splitlines() == [
        "1. Is the mug inside the cabinet?",
        "2. Is the cabinet open?",
    ]


@pytest.mark.parametrize("name", prompt_names())
def test_that_every_shipped_prompt_loads_under_its_file_name(name: str) -> None:
    prompt = load_prompt(name)
    assert prompt.name == name
    for stricter in (False, True):
        assert "$" not in "".join(m.text for m in build_messages(prompt, ["Is it?"], stricter))


def test_that_an_edited_prompt_has_another_label(tmp_path: Path) -> None:
    from core.vqa.data_files import RESOURCES

    text = (RESOURCES / "prompts" / "dkprompt.toml").read_text()
    path = tmp_path / "mine.toml"
    path.write_text(text.replace("eyes of a robot", "eyes of a cat"))
    mine, shipped = load_prompt(path), load_prompt()
    assert shipped.label.startswith("dkprompt 1 (")
    assert mine.version == shipped.version
    assert mine.label != shipped.label


def test_that_a_wrong_name_or_file_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean dkprompt"):
        load_prompt("dkpromt")
    with pytest.raises(BadFile, match="no such file"):
        load_prompt(tmp_path / "none.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ")
    with pytest.raises(BadFile, match="not TOML"):
        load_prompt(broken)
    broken.write_text('name = "x"\nversion = "1"\n')
    with pytest.raises(BadFile, match="about is missing"):
        load_prompt(broken)


def test_that_the_papers_prompt_has_its_tone_and_says_open() -> None:
    system, user = build_messages(load_prompt("paper"), ("Is the cabinet wide open?", "Is the mug in view?"))
    assert user.text == "Is the cabinet open?; Is the mug in view?"
    for said in ("pretty sure", "fine to skip", '"yes;no;skip"'):
        assert said in " ".join(system.text.split())
    assert (
        build_messages(load_prompt(), ("Is the cabinet wide open?",))[1].text == "Is the cabinet wide open?"
    )


def test_that_only_whole_words_are_put_into_a_prompts_words() -> None:
    prompt = replace(load_prompt(), words={"in view": r"seen\1", "mug": "cup"})
    assert question_text(prompt, "Is the mugwort; in view?") == r"Is the mugwort, seen\1?"
    assert prompt.label != load_prompt().label


def test_that_a_prompt_without_words_of_its_own_keeps_its_label() -> None:
    """Episodes that were logged before prompts had words are told apart by it."""
    assert load_prompt().label == "dkprompt 1 (e577e8)"
