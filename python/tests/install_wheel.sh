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
"$source/python/tests/use_installed.sh" "$work/venv/bin/python"
