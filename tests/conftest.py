"""What all tests share."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from tempfile import TemporaryDirectory

import hypothesis
import pytest

from tests import sampling
from tests.workers import ARMS, REAL_TIME, run_in_workers

hypothesis.settings.register_profile("dkprompt", max_examples=15, deadline=None, database=None)
hypothesis.settings.load_profile("dkprompt")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=0, help="processes that share the files; 0: this one")


def pytest_configure(config: pytest.Config) -> None:
    sampling.collect_long = config.option.markexpr != "not long"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before anything is imported."""
    if session.config.getoption("workers") and not sys.dont_write_bytecode:
        from tests.compiling import compile_all  # here: it takes longer than what a few tests take

        compile_all()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage among modules and tests, of which there is none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs in real time; leave out what cannot run here; let the long ones take their time."""
    no_arm = find_spec("rtde_control") is None
    for item in items:
        if "long" in item.keywords:
            item.add_marker(pytest.mark.timeout(0))
        if item.nodeid.startswith(REAL_TIME):
            item.add_marker(pytest.mark.realtime)
        if no_arm and (item.nodeid.startswith(ARMS) or "arm" in item.keywords):
            item.add_marker(pytest.mark.skip("the extra `ur5e` is not installed"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the files in several processes, where that is asked for."""
    option = session.config.option
    if not option.workers or option.collectonly or session.testsfailed:
        return None
    run_in_workers(session, option.workers)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test beside others gives way to those in real time, and so does what it starts."""
    if hasattr(item.config, "worker") and "realtime" not in item.keywords:
        os.nice(10)


@pytest.fixture(scope="session", autouse=True)
def nothing_of_ones_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the log and the settings of the person who runs it, nor another worker's, and
    none is reached by a `stop` from another terminal.
    """
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DATA", "CONFIG", "STATE"):
            patch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
        with TemporaryDirectory(prefix="dkp-") as runtime:  # short, as a socket's path must be
            patch.setenv("XDG_RUNTIME_DIR", runtime)
            yield
