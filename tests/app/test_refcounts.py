"""PySide6 6.12.0 drops references to None and True at repaints and at setText; 6.11.3 does not.

It shows on Python 3.10 and 3.11 only: from 3.12 on these objects are immortal. The check runs in a process
of its own, which the fault aborts. See docs/decisions.md.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys
from PySide6.QtWidgets import QApplication, QLabel, QWidget
class Painted(QWidget):
    def paintEvent(self, event):
        pass
app = QApplication([])
widget, label = Painted(), QLabel()
widget.show(); label.show()
app.processEvents()
before = sys.getrefcount(None), sys.getrefcount(True)
for i in range(500):
    widget.repaint()
    label.setText(str(i))
after = sys.getrefcount(None), sys.getrefcount(True)
print(after[0] - before[0], after[1] - before[1])
"""


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="None and True are immortal here, the fault is hidden"
)
def test_that_repainting_leaves_the_reference_counts_alone() -> None:
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, "the process aborted"
    none, true = map(int, done.stdout.split())
    assert abs(none) < 50 and abs(true) < 50, f"500 repaints moved None by {none} and True by {true}"
