#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# `pip install .` as docs/python.md says it, from the sources alone: CMake compiles the modules. Usage:
# install_source.sh SOURCE BUILD PYTHON
set -euo pipefail
source=$1 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/source"
for part in CMakeLists.txt LICENSE README.md pyproject.toml setup.py apps cmake plugins python src tests/problems web/page.html; do
  mkdir -p "$work/source/$(dirname "$part")"
  cp -r "$source/$part" "$work/source/$part"
done
"$python" -m venv --system-site-packages "$work/venv"
cd "$work/source"
env -u STICKSLIP_BUILD "$work/venv/bin/pip" install -q --no-build-isolation --no-deps --no-index .
"$source/python/tests/use_installed.sh" "$work/venv/bin/python"
