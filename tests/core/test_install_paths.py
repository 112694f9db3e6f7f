"""What a person is told to do about a package that is not there."""

from __future__ import annotations

import sys
from importlib import metadata

import pytest

from core import install_paths
from core.errors import ConsoleError, MissingPackage


@pytest.mark.parametrize(
    ("python", "remedy"), [((3, 12), "pip install -e '.[ur5e]'"), ((3, 13), "make arm-driver")]
)
def test_that_the_arms_driver_is_had_in_another_way_where_it_has_no_wheel(
    python: tuple[int, int], remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", python)
    assert remedy in str(MissingPackage("The UR5e", "ur5e"))
    assert (
        f"\n{remedy.removeprefix('make ')}: " in (install_paths.ROOT / "Makefile").read_text()
        or "pip" in remedy
    )


class Installed:
    """What pip notes beside a package that it took from a file."""

    def read_text(self, name: str) -> str:
        return '{"url": "file:///w.whl"}' if name == "direct_url.json" else ""


def test_that_what_is_installed_has_no_makefile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install_paths, "INSTALLED", True)
    monkeypatch.setattr(install_paths, "COMMAND", "dkprompt")
    monkeypatch.setattr(sys, "version_info", (3, 13))
    monkeypatch.setattr(metadata, "distribution", lambda _: Installed())
    assert "'dkprompt-console[ur5e] @ file:///w.whl'" in install_paths.install_extra("ur5e"), "as it came"
    monkeypatch.setattr(sys, "prefix", "/home/a/.local/pipx/venvs/dkprompt-console")
    assert install_paths.install_extra("ur5e").startswith("pipx reinstall --python python3.12")
    assert "make" not in install_paths.install_extra("ur5e")
    assert install_paths.as_called_here("`make arm` opens it") == "`dkprompt --robot ur5e` opens it"
    assert install_paths.as_called_here("(`docs/ur5e.md`)") == "(`dkprompt docs ur5e`)"
    assert "dkprompt docs ur5e` shows it" in str(ConsoleError("docs/ur5e.md shows it"))
