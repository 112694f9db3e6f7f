"""Who shows words takes them through `core.text.untrusted_text`: found by reading the program itself."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = ("app/", "main.py")
EVERYTHING = [
    ROOT / "main.py",
    *(p for f in ("app", "core", "robots") for p in sorted((ROOT / f).rglob("*.py"))),
]
OWN_WORDS = {  # processes of ours, which print to whoever started them, and a person's emulator
    "robots/kitchen/rendering/live_render_mode.py",
    "robots/remote/server_process.py",
    "robots/ur5e/emulator/__main__.py",
}
PAGES = {  # of Qt: each renders what it is given as a page, or may
    "QLabel", "QMessageBox", "QTextBrowser", "QTextDocument", "QTextEdit", "QToolTip", "QWhatsThis",
    "appendHtml", "insertHtml", "setHtml", "setMarkdown", "setStatusTip", "setTextFormat", "setWhatsThis",
}  # fmt: skip
MARKUP = {"Console", "Markdown", "Prompt", "Confirm", "IntPrompt", "from_markup", "from_ansi", "rprint"}
Found = Iterator[tuple[int, str]]


def named(node: ast.AST) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def own(words: ast.expr) -> bool:
    """Words that stand in the program, or a tooltip that went through the door already."""
    match words:
        case ast.Constant():
            return True
        case ast.IfExp():
            return own(words.body) and own(words.orelse)
        case ast.Name():
            return words.id.isupper()
        case ast.Call():
            return named(words.func) in ("toolTip", "tooltip")
    return False


def tooltips(tree: ast.AST) -> Found:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and named(node.func) == "setToolTip" and not own(node.args[0]):
            yield node.lineno, "setToolTip of words that may be another's: set_tooltip"
        elif isinstance(node, ast.FunctionDef):
            names = {named(n) for n in ast.walk(node)}
            if "ToolTipRole" in names and "tooltip" not in names:
                yield node.lineno, "a model's tooltip of words that may be another's: tooltip"


def plain(call: ast.Call) -> bool:
    return named(call.func) == "setTextFormat" and [named(a) for a in call.args] == ["PlainText"]


def pages(tree: ast.AST) -> Found:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and named(node.func) in PAGES and not plain(node):
            yield node.lineno, f"{named(node.func)} may render words as a page: label, ReadOnlyText"
        elif isinstance(node, ast.ClassDef) and {named(base) for base in node.bases} & PAGES:
            yield node.lineno, f"{node.name} may render words as a page: PlainLabel, ReadOnlyText"


def printed(tree: ast.AST) -> Found:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and named(node.func) == "print" and isinstance(node.func, ast.Name):
            if not (node.args and isinstance(node.args[0], ast.Call) and named(node.args[0].func) == "dumps"):
                yield node.lineno, "print of words that may be another's: print_text"
        elif isinstance(node, ast.Call) and named(node.func) == "input" and not all(map(own, node.args)):
            yield node.lineno, "input after words that may be another's: ask"


def markup(tree: ast.AST) -> Found:
    froms = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    rich = {a.name for n in froms if (n.module or "").startswith("rich") for a in n.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and named(node.func) in MARKUP & (rich | {"from_markup", "from_ansi"}):
            yield node.lineno, f"{named(node.func)} reads markup: PlainConsole, ask"
        elif isinstance(node, ast.ImportFrom) and node.module in ("rich", "rich.markup", "rich.prompt"):
            yield node.lineno, f"{node.module} reads markup"


@cache
def program() -> dict[str, str]:
    return {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in EVERYTHING}


@cache
def tree_of(file: str) -> ast.Module:
    return ast.parse(program()[file])


# What is looked for, the words one of which it has in it, in which files, and which are the doors.
RULES: dict[str, tuple[Callable[[ast.AST], Found], set[str], tuple[str, ...], set[str]]] = {
    "tooltips": (tooltips, {"ToolTip"}, PROGRAM, {"app/controls/tooltip.py"}),
    "pages": (pages, PAGES, PROGRAM, {"app/controls/layout.py", "app/controls/text.py"}),
    "printed": (printed, {"print", "input"}, ("",), {"app/cli/output/printing.py", *OWN_WORDS}),
    "markup": (markup, {"rich", "from_markup", "from_ansi"}, PROGRAM, {"app/cli/output/printing.py"}),
}


@pytest.mark.parametrize("rule", RULES)
def test_that_words_from_outside_are_shown_through_the_one_door(rule: str) -> None:
    check, words, places, doors = RULES[rule]
    found = [
        f"{file}:{line}: {why}"
        for file, code in program().items()
        if file.startswith(places) and file not in doors and any(word in code for word in words)
        for line, why in check(tree_of(file))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("tooltips", "w.setToolTip(call.said)"),
        ("tooltips", "w.setToolTip(f'{words}')"),
        ("tooltips", "def data(index, role):\n if role == Qt.ToolTipRole: return self.words"),
        ("pages", "w = QLabel(words)"),
        ("pages", "page.setHtml(words)"),
        ("pages", "page.setTextFormat(Qt.TextFormat.AutoText)"),
        ("pages", "class Page(QTextBrowser): pass"),
        ("printed", "print(error)"),
        ("printed", "answer = input(question)"),
        ("markup", "from rich.console import Console\nConsole().print(words)"),
        ("markup", "Text.from_markup(words)"),
        ("markup", "from rich import print as shown"),
    ],
)
def test_that_a_rule_finds_what_it_is_for(rule: str, code: str) -> None:
    check, words, *_ = RULES[rule]
    assert list(check(ast.parse(code))) and any(word in code for word in words)
