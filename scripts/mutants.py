"""Change the program in small ways and see whether its tests notice: `make mutants`.

Works in copies of the last commit, one for each of --jobs. A mutant is one changed expression or statement;
the tests of its area run until one fails. One that hangs counts as noticed. What --results holds is not run
again. scripts/mutants.toml says what is changed, by what it is tested, and which survivors are harmless, and
why.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic

ROOT = Path(__file__).resolve().parents[1]
PAIRS = "Lt LtE, Gt GtE, Eq NotEq, Is IsNot, In NotIn, And Or, Add Sub, Mult Div"
_SWAPS = [tuple(getattr(ast, name) for name in pair.split()) for pair in PAIRS.split(", ")]
SWAPS = dict(_SWAPS) | {b: a for a, b in _SWAPS}
LIMIT = 40  # seconds for a test
UNTESTED = ("log.", "logging.", "warnings.")  # calls that nothing depends on
CHECKS = "strict", "daemon", "stacklevel"  # arguments that only matter where something else is wrong


def changes(node: ast.AST) -> Iterator[tuple[str, object]]:
    """Yield which attribute of the node may have which other value."""
    match node:
        case ast.Compare(_, [op, *ops]) if type(op) in SWAPS:
            yield "ops", [SWAPS[type(op)](), *ops]
        case ast.BoolOp(op) | ast.AugAssign(_, op) if type(op) in SWAPS:
            yield "op", SWAPS[type(op)]()
        case ast.BinOp(left, op, right) if type(op) in SWAPS and not (_is_text(left) or _is_text(right)):
            yield "op", SWAPS[type(op)]()
        case ast.UnaryOp(ast.Not() | ast.USub() as op, operand):
            yield "operand", ast.UnaryOp(op, operand)
        case ast.Constant(bool(value)):
            yield "value", not value
        case ast.Constant(int(value)):
            yield "value", value + 1
        case ast.If(test) if not isinstance(test, ast.UnaryOp):  # that is changed itself
            yield "test", ast.UnaryOp(ast.Not(), test)
        case ast.Return(value) if value is not None and not isinstance(value, ast.Constant):
            yield "value", ast.Constant(None)
        case ast.Expr(ast.Call(call)) if ast.unparse(call).startswith(UNTESTED):
            return
        case ast.Expr(ast.Call()) | ast.Assign([ast.Attribute()]) | ast.Raise():
            yield "__class__", ast.Pass


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str)


def mutants_of(source: str) -> Iterator[tuple[str, str]]:
    """Yield each mutant of the functions in a file: its line with what is changed, and the whole source."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = dict.fromkeys(node for f in functions for statement in f.body for node in ast.walk(statement))
    words = {node for text in inside if isinstance(text, ast.JoinedStr) for node in ast.walk(text)}
    checks = {node.value for node in inside if isinstance(node, ast.keyword) and node.arg in CHECKS}
    for node in (node for node in inside if node not in words | checks):
        for field, new in changes(node):
            old, before = getattr(node, field), _short(node)
            setattr(node, field, new)
            yield f"{node.lineno}: {before} -> {_short(node)}", ast.unparse(ast.fix_missing_locations(tree))
            setattr(node, field, old)


def _short(node: ast.AST) -> str:
    return ast.unparse(node).split("\n")[0][:80]


def draw(patterns: list[str], count: int, seed: int) -> list[tuple[str, str, str]]:
    """Return file, name and source of this many mutants: the same ones after a change elsewhere in a file."""
    files = sorted({file for pattern in patterns for file in ROOT.glob(pattern)})
    found = [(str(f.relative_to(ROOT)), *mutant) for f in files for mutant in mutants_of(f.read_text())]
    alike: Counter[str] = Counter()
    order = {}
    for mutant in found:
        words = f"{mutant[0]} {mutant[1].partition(': ')[2]}"
        alike[words] += 1
        order[mutant] = Random(f"{seed} {alike[words]} {words}").random()
    return sorted(order, key=order.__getitem__)[:count]


def outcome(copy: Path, file: str, source: str, tests: list[str], seconds: float) -> str:
    """Return "killed", "hung" or "survived": what the tests say of this source in place of the file's."""
    kept = (copy / file).read_text()
    (copy / file).write_text(source)
    options = "-x", "-q", "-p", "no:cacheprovider", "-o", f"timeout={LIMIT}"
    command = [sys.executable, "-m", "pytest", *options, *tests]
    with open(os.devnull, "r+b") as nil:
        child = subprocess.Popen(command, stdin=nil, stdout=nil, stderr=nil, cwd=copy, process_group=0)
    try:
        return "killed" if child.wait(seconds) else "survived"
    except subprocess.TimeoutExpired:
        return "hung"
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        (copy / file).write_text(kept)


def main() -> None:
    table = tomllib.loads((ROOT / "scripts" / "mutants.toml").read_text())
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("areas", nargs="*", default=list(table["area"]), help=", ".join(table["area"]))
    ask.add_argument("--count", type=int, default=40, help="mutants an area")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--jobs", type=int, default=2)
    ask.add_argument("--results", type=Path, default=ROOT / "build" / "mutants.jsonl")
    given = ask.parse_args()
    given.results.parent.mkdir(parents=True, exist_ok=True)
    given.results.touch()
    known = {(r["file"], r["name"]): r["outcome"] for r in map(json.loads, given.results.open())}
    copies: SimpleQueue[Path] = SimpleQueue()
    with TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(given.jobs) as pool:
        for n in range(given.jobs):
            subprocess.run(["git", "clone", "-q", "--shared", ROOT, f"{folder}/{n}"], check=True)
            copies.put(Path(folder, str(n)))

        def run(file: str, name: str, source: str, tests: list[str], seconds: float) -> str:
            if (file, name) not in known:
                copy = copies.get()
                known[file, name] = outcome(copy, file, source, tests, seconds)
                copies.put(copy)
                with given.results.open("a") as log:
                    print(json.dumps({"file": file, "name": name, "outcome": known[file, name]}), file=log)
            return known[file, name]

        for area in given.areas:
            tests, began = table["area"][area]["tests"], monotonic()
            if outcome(Path(folder, "0"), "main.py", Path("main.py").read_text(), tests, 900) != "survived":
                sys.exit(f"{area}: its tests fail without any mutant.")
            seconds = 2 * LIMIT + 4 * (monotonic() - began)  # a busy machine is no hanging test
            mutants = draw(table["area"][area]["files"], given.count, given.seed)
            said = list(pool.map(lambda m: run(*m, tests, seconds), mutants))  # noqa: B023
            print(f"{area}: {len(said)} mutants, {dict(Counter(said))}", flush=True)
            for file, name, _ in (m for m, what in zip(mutants, said, strict=True) if what == "survived"):
                reason = table["harmless"].get(f"{file} {name.split(': ', 1)[1]}")
                print(f"  {file}:{name}" + (f"  (harmless: {reason})" if reason else ""), flush=True)


if __name__ == "__main__":
    main()
