"""The command line program, which lies in the package."""

import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).parent / "bin" / "m3lak"
    os.execv(program, [str(program), *sys.argv[1:]])
