#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# Makes a wheel from the modules of a build folder, installs it into an empty virtual environment that sees Debian's
# NumPy, and uses it from there. Usage: install_wheel.sh SOURCE BUILD PYTHON
set -euo pipefail
source=$1 build=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/python" "$source/pyproject.toml" "$source/setup.py" "$source/README.md" "$work/"
"$python" -m venv --system-site-packages "$work/venv"
cd "$work"
STICKSLIP_BUILD=$build venv/bin/pip wheel -q --no-build-isolation --no-deps --no-index -w wheels .
venv/bin/pip install -q --no-index --no-deps wheels/stickslip-*.whl
cd /
env -u PYTHONPATH "$work/venv/bin/python" -c '
import pathlib, sys
import stickslip as ss
assert pathlib.Path(ss.__file__).is_relative_to(sys.prefix), ss.__file__
assert "stickslip._core" not in sys.modules  # the solvers alone do not load the simulator
assert ss.solve_lcp([[2.0]], [-1.0]).z[0] == 0.5
assert (pathlib.Path(ss.__file__).parent / "py.typed").exists()
assert ss.Model.from_string("dimension = 2\nduration = 1\n[[body]]\nname = \"ball\"\nmass = 1\nshape = { disc = 1 }\n").run().certified
print("1 passed, 0 failed")
'
