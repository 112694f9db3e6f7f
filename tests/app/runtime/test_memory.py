"""What pictures took goes back to the system with them."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CHILD = """
import sys
if sys.argv[1] == "apart":
    from app.runtime.memory import set_mmap_threshold
    assert set_mmap_threshold()
import numpy as np

def resident():
    return int(next(l for l in open("/proc/self/status") if l.startswith("VmRSS")).split()[1]) >> 10

del (large := [np.ones(8 << 20, np.uint8)])[:]  # as a height map does it once
before, pictures, between = resident(), [], []
for _ in range(100):
    pictures.append(np.ones(1 << 20, np.uint8))
    between.append(bytes(2000))  # something small that stays
pictures.clear()
print(resident() - before)
"""


def left(how: str) -> int:
    """MiB that 100 MiB of pictures leave behind."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, how], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library than glibc")
def test_that_pictures_leave_nothing_behind() -> None:
    assert left("apart") < 10
    assert left("between") > 50, "else there is nothing to keep apart"
