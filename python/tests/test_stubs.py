# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
"""The stubs (.pyi) name what the extension modules have: nothing more, nothing less, with the same arguments."""
import ast
import inspect
import pathlib
import re
import tomllib

import pytest

import stickslip.runs  # completes Model and Batch
from stickslip import _complementarity, _core

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "stickslip"


def arguments(node):
    return [a.arg for a in node.args.args + node.args.kwonlyargs if a.arg != "self"]


def declared(module):
    tree = ast.parse((FOLDER / (module.__name__.split(".")[-1] + ".pyi")).read_text())
    functions, classes = {}, {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = arguments(node)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_Stub"):  # of the stubs alone
            members = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
            classes[node.name] = {**members, **{n.target.id: n for n in node.body if isinstance(n, ast.AnnAssign)}}
    return functions, classes


def actual_arguments(function):
    line = function.__doc__.splitlines()[0]
    inside = line[line.index("(") + 1 : line.rindex(") ->")]
    names = re.findall(r"(?:^|, )(\w+):", inside)
    return [name for name in names if name not in ("self",)]


@pytest.mark.parametrize("module", [_complementarity, _core], ids=lambda module: module.__name__)
def test_functions_and_their_arguments(module):
    functions, classes = declared(module)
    real = {n for n in dir(module) if not n.startswith("__") and callable(getattr(module, n))}
    assert set(functions) | set(classes) == real
    for name, names in functions.items():
        assert names == actual_arguments(getattr(module, name)), name


def test_the_version_is_that_of_the_package():
    packaged = tomllib.loads((FOLDER.parents[1] / "pyproject.toml").read_text())
    assert stickslip.__version__ == packaged["project"]["version"]


def of_a_method(member):
    """Names of the arguments after the first, and whether any keyword is taken."""
    if inspect.isfunction(member):
        parameters = list(inspect.signature(member).parameters.values())[1:]
        named = [p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        return named, any(p.kind == p.VAR_KEYWORD for p in parameters)
    return actual_arguments(member), "**kwargs" in member.__doc__.splitlines()[0]


@pytest.mark.parametrize("module", [_complementarity, _core], ids=lambda module: module.__name__)
def test_members_of_classes(module):
    for name, members in declared(module)[1].items():
        real = getattr(module, name)
        if issubclass(real, BaseException):
            continue
        public = {n for n in vars(real) if not n.startswith("_")}
        assert public == {n for n in members if not n.startswith("_")}, name
        for member in public:
            stub, found = members[member], vars(real)[member]
            if isinstance(found, property):
                settable = isinstance(stub, ast.AnnAssign)
                assert settable == (found.fset is not None), f"{name}.{member}"
                assert settable or [ast.unparse(d) for d in stub.decorator_list] == ["property"], f"{name}.{member}"
                continue
            static = isinstance(found, staticmethod)
            assert ("staticmethod" in [ast.unparse(d) for d in stub.decorator_list]) == static, f"{name}.{member}"
            names, keywords = of_a_method(getattr(real, member))
            assert (arguments(stub), stub.args.kwarg is not None) == (names, keywords), f"{name}.{member}"
