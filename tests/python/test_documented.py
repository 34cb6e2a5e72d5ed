"""What the documentation shows, runs."""

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import m3lak
import pytest

MODULES = [name for _, name, _ in pkgutil.iter_modules(m3lak.__path__, "m3lak.")]
EXAMPLES = sorted((Path(__file__).parents[2] / "examples/python").glob("*.py"))


@pytest.mark.parametrize("name", ["m3lak", *MODULES])
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_public_classes_have_docstrings():
    for name in m3lak.__all__:
        assert getattr(m3lak, name).__doc__, name


DATA = os.environ.get("M3LAK_DATA", Path(__file__).parents[3] / "shared" / "data")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples(example, tmp_path):
    done = subprocess.run(
        [sys.executable, example],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "MPLBACKEND": "Agg", "M3LAK_DATA": str(DATA)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_there_are_examples():
    assert len(EXAMPLES) >= 5
