"""Which of Debian's packages are asked for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DPKG = """#!/bin/sh
echo 'ii  libglib2.0-0t64, libglib2.0-0 (= 2.84)'
echo 'ii  make, '
echo 'rc  xvfb, '
"""


@pytest.mark.parametrize(
    ("wanted", "absent"), [(["make", "libglib2.0-0"], []), (["make", "xvfb", "cmake"], ["cmake", "xvfb"])]
)
def test_that_only_what_is_absent_is_asked_for(wanted: list[str], absent: list[str], tmp_path: Path) -> None:
    for name, script in (("dpkg-query", DPKG), ("apt-get", "#!/bin/sh\necho apt-get $* >&2\n")):
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        [ROOT / "scripts" / "debian", *wanted], env=os.environ | path, capture_output=True, text=True
    )
    assert done.returncode == 0
    asked = done.stderr.split("--no-install-recommends ")[-1].split() if done.stderr else []
    assert asked == absent
