#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# Uses the package as the interpreter of a virtual environment finds it. Usage: use_installed.sh PYTHON
set -euo pipefail
examples=$(realpath "$(dirname "$0")/../../examples/python")
cd /
env -u PYTHONPATH "$1" -c '
import pathlib, sys
import stickslip as ss
assert pathlib.Path(ss.__file__).is_relative_to(sys.prefix), ss.__file__
assert "stickslip._core" not in sys.modules  # the solvers alone do not load the simulator
assert ss.solve_lcp([[2.0]], [-1.0]).z[0] == 0.5
assert (pathlib.Path(ss.__file__).parent / "py.typed").exists()
assert ss.Model.from_string("dimension = 2\nduration = 1\n[[body]]\nname = \"ball\"\nmass = 1\nshape = { disc = 1 }\n").run().certified
'
# Types come with the package, for mypy --strict on programs that use it.
if "$1" -c 'import mypy' 2>/dev/null; then
  cache=$(mktemp -d)
  env -u PYTHONPATH -u MYPYPATH "$1" -m mypy --strict --no-error-summary --cache-dir "$cache" "$examples"/*.py
  rm -r "$cache"
fi
echo "1 passed, 0 failed"
