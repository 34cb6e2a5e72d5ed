"""What all Python tests share: the program, and a way to run it."""

import json
import os
import subprocess
from dataclasses import dataclass

import pytest

# Or scikit-learn leaves out one of its checks; SciPy wants to know before it is imported.
os.environ["SCIPY_ARRAY_API"] = "1"


@dataclass
class Result:
    code: int
    out: str
    err: str

    def json(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def program() -> str:
    return os.environ["M3LAK_PROGRAM"]


@pytest.fixture
def m3lak(program, tmp_path):
    """Runs the program in a folder of the test's own."""

    def run(*arguments, good=True) -> Result:
        done = subprocess.run(
            [program, *map(str, arguments)], cwd=tmp_path, capture_output=True, timeout=300
        )
        result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
        if good:
            assert result.code == 0, result.err
        return result

    return run
