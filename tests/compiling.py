"""Compile program and tests once, on all cores, where else each of pytest's workers would compile all of it.

A fresh checkout has neither Python's compiled files nor pytest's of the tests, whose asserts it rewrites, nor
what Hypothesis keeps of the program's constants: together they cost a worker as much as all other imports.
"""

from __future__ import annotations

import compileall
from importlib.util import cache_from_source
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

from _pytest.assertion import rewrite
from hypothesis.internal.constants_ast import constants_from_module

ROOT = Path(__file__).parents[1]
FOLDERS = ("app", "core", "robots", "training", "tests")


def compile_all() -> None:
    """Compile what has changed; a fraction of a second when nothing has."""
    files = [ROOT / "main.py", *(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))]
    if old := [file for file in files if not _is_compiled(file)]:
        with get_context("fork").Pool() as pool:
            pool.map(_compile, old, chunksize=4)


def _is_rewritten(file: Path) -> bool:
    return ROOT / "tests" in file.parents and (file.name == "conftest.py" or file.match("test_*.py"))


def _compiled(file: Path) -> Path:
    if _is_rewritten(file):
        return rewrite.get_cache_dir(file) / (file.stem + rewrite.PYC_TAIL)
    return Path(cache_from_source(file))


def _is_compiled(file: Path) -> bool:
    compiled = _compiled(file)
    return compiled.exists() and compiled.stat().st_mtime >= file.stat().st_mtime


def _compile(file: Path) -> None:
    if _is_rewritten(file):
        try:
            source_hash, code = rewrite._rewrite_test(file, None)  # type: ignore[arg-type]
        except SyntaxError:
            return  # the worker that imports it says so
        _compiled(file).parent.mkdir(exist_ok=True)
        rewrite._write_pyc(None, code, source_hash, _compiled(file))  # type: ignore[arg-type]
        return
    compileall.compile_file(file, quiet=2)
    if ROOT / "tests" not in file.parents:
        module = ModuleType(file.stem)
        module.__file__ = str(file)
        constants_from_module(module)
