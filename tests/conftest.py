"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from tempfile import TemporaryDirectory

import pytest

ARMS = (
    "tests/robots/ur5e/",
    "tests/app/widgets/test_arm",
    "tests/app/dialogs/test_arm",
    "tests/app/episode/test_arm",
    "tests/app/cli/test_arm",
)
REAL_TIME = (  # an arm's motions, a live view, a stop's delay: not beside busy tests, or they fail
    *ARMS,
    "tests/app/widgets/test_kitchen",
    "tests/app/test_looking",
    "tests/app/episode/test_stop",
    "tests/app/episode/test_ways_out",
    "tests/app/review/test_film",
    "tests/app/review/test_review",
    "tests/robots/kitchen/rendering/test_live",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs in real time; leave out what cannot run here."""
    no_arm = find_spec("rtde_control") is None
    for item in items:
        if item.nodeid.startswith(REAL_TIME):
            item.add_marker(pytest.mark.realtime)
        if no_arm and item.nodeid.startswith(ARMS):
            item.add_marker(pytest.mark.skip("the extra `ur5e` is not installed"))


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
