#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# The Debian package: made, unpacked into an empty folder, and the command in it runs an example of its own.
# Usage: package.sh BUILD WORK
set -euo pipefail
build=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
(cd "$build" && cpack -G DEB -B "$work" >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log"; exit 1; }
package=$(ls "$work"/stickslip_*.deb)
dpkg-deb --field "$package" Depends | tee "$work/depends"
grep -q libhdf5 "$work/depends"  # found by dpkg-shlibdeps, not by us
! grep -q mpi "$work/depends" || { echo "the package takes MPI along"; exit 1; }
dpkg-deb --extract "$package" "$work/root"
for file in share/man/man1/stickslip.1 share/bash-completion/completions/stickslip share/zsh/vendor-completions/_stickslip \
  share/fish/vendor_completions.d/stickslip.fish; do
  [[ -s $work/root/usr/$file ]] || { echo "the package has no $file"; exit 1; }
done
cd "$work"
root/usr/bin/stickslip run root/usr/share/doc/stickslip/examples/ball/scene.toml | tee run.log
grep -q 'certificate' run.log
[[ -s ball.h5 ]]
