# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# Builds the extension modules with CMake and puts them into the package. STICKSLIP_BUILD names a build folder whose
# modules are taken as they are.
import os
import pathlib
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class CMakeBuild(build_ext):
    def run(self) -> None:
        source = pathlib.Path(__file__).resolve().parent
        ready = os.environ.get("STICKSLIP_BUILD")
        # As deep as build/, so that the compiler cache of script/build serves here too.
        build = pathlib.Path(ready) if ready else source / "build-python"
        if not ready:
            self.compile(source, build)
        target = pathlib.Path(self.build_lib).resolve()
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", target], check=True)

    def compile(self, source: pathlib.Path, build: pathlib.Path) -> None:
        options = [
            "-GNinja", "-DCMAKE_BUILD_TYPE=Release", "-DSTICKSLIP_WITH_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}",
            "-DSTICKSLIP_BUILD_TESTS=OFF", "-DSTICKSLIP_BUILD_BENCH=OFF", "-DSTICKSLIP_BUILD_EXAMPLES=OFF",
            "-DSTICKSLIP_WITH_MPI=OFF", "-DSTICKSLIP_WITH_SICONOS=OFF",
        ]  # fmt: skip
        subprocess.run(["cmake", "-S", source, "-B", build, *options], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "_core", "_complementarity"], check=True)


setup(
    ext_modules=[Extension("stickslip._core", []), Extension("stickslip._complementarity", [])],
    cmdclass={"build_ext": CMakeBuild},
)
