"""The prompt: a file that people can read and edit, filled in with questions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from string import Template
from typing import Literal

from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml, make_folder, read_text, write_text
from core.ports import ChatMessage
from core.vqa.data_files import available_names, find_file, user_dir

DEFAULT = "dkprompt"


@dataclass(frozen=True, config=FILE)
class Prompt:
    """`resources/prompts/NAME.toml`. `$questions` and `$count` in its texts are replaced.

    Style "list" has questions and answers on one line, separated by semicolons (the paper's appendix);
    "object" numbers the questions and wants JSON; "single" makes one call per question. `words` replace words
    in the questions, "wide open" for "open"; the log keeps the domain's own questions.
    """

    name: str
    version: str
    about: str
    style: Literal["list", "object", "single"]
    system: str
    user: str
    stricter: str  # follows `user` when a reply could not be read
    words: Mapping[str, str] = field(default_factory=dict, hash=False)

    @cached_property
    def label(self) -> str:
        """Return the label for the log: name, version, and a hash of six digits, so that edits show."""
        own = (tuple(sorted(self.words.items())),) if self.words else ()
        texts = repr((self.style, self.system, self.user, self.stricter, *own))
        return f"{self.name} {self.version} ({hashlib.sha256(texts.encode()).hexdigest()[:6]})"


def prompt_names() -> tuple[str, ...]:
    """Return the names of the shipped prompts and of the user's own."""
    return available_names("prompts")


def load_prompt(name: str | Path = DEFAULT) -> Prompt:
    """Load a prompt by name or path. Raises UnknownName, BadFile."""
    return load_toml(prompt_file(name), Prompt)


def prompt_file(name: str | Path) -> Path:
    """Return the file of a prompt, to read or edit. Raises UnknownName."""
    return find_file("prompt", "prompts", name)


def copy_prompt(name: str) -> Path:
    """Copy a prompt under a new name for the user to edit. Raises UnknownName, BadFile."""
    source, folder = prompt_file(name), user_dir("prompts")
    known, number = prompt_names(), 1
    while (mine := f"my-{source.stem}" + (f"-{number}" if number > 1 else "")) in known:
        number += 1
    target = folder / f"{mine}.toml"
    text = read_text(source).replace(f'name = "{source.stem}"', f'name = "{mine}"', 1)
    make_folder(folder)
    write_text(target, text)
    return target


def build_messages(
    prompt: Prompt, questions: Sequence[str], stricter: bool = False
) -> tuple[ChatMessage, ...]:
    """Return the messages that ask these questions in one call, without the picture."""
    texts = [question_text(prompt, question) for question in questions]
    if prompt.style == "object":
        listed = "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
    else:
        listed = "; ".join(texts)
    parts = (prompt.user, prompt.stricter) if stricter else (prompt.user,)
    filled = [
        Template(part).safe_substitute(questions=listed, count=len(texts)).strip()
        for part in (prompt.system, "\n\n".join(parts))
    ]
    return ChatMessage("system", filled[0]), ChatMessage("user", filled[1])


def question_text(prompt: Prompt, question: str) -> str:
    """Return the question as it is sent, on one line, with the prompt's replacements of whole words."""
    text = as_one_question(question)
    for old, new in prompt.words.items():
        text = re.sub(rf"\b{re.escape(old)}\b", new.replace("\\", r"\\"), text)
    return text


def as_one_question(question: str) -> str:
    """Remove semicolons and line breaks, which would split a question into two."""
    return " ".join(question.replace(";", ",").split())
