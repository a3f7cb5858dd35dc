# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""The notebooks print what is saved in them, and their pictures are there."""
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("file", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda file: file.stem)
def test_a_notebook_runs_as_saved(file):
    pytest.importorskip("matplotlib")
    done = subprocess.run([sys.executable, ROOT / "script" / "notebooks", "--check", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    outputs = [output for cell in json.loads(file.read_text())["cells"] for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
