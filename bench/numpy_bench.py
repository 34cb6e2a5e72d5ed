"""m3lak against the same sampler in plain NumPy, both on one core; what they compute must agree.

bench/run numpy
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).parent
one_core = os.environ | {
    name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
}


def output(*command):
    return subprocess.run(command, env=one_core, check=True, stdout=subprocess.PIPE).stdout


print(f"{'N':>8} {'m3lak ms':>10} {'NumPy ms':>10} {'ratio':>8}   largest relative difference")
for instances in (1_000, 10_000):
    with tempfile.TemporaryDirectory() as folder:
        export = here.parent / "build/release/bench/numpy_export"
        ours = float(output(export, folder, str(instances)))
        script = str(here / "plain_numpy.py")
        checked = json.loads(output(sys.executable, script, "--check", folder))
        data = str(Path(folder) / "data.npz")
        theirs = min(
            json.loads(output(sys.executable, script, data, "--iterations", "6"))[
                "seconds_per_iteration"
            ]
            for _ in range(3)
        )
        worst = max(checked["largest_relative_difference"].values())
        print(
            f"{instances:>8} {1e3 * ours:>10.1f} {1e3 * theirs:>10.1f} "
            f"{theirs / ours:>8.1f}   {worst:.1e}"
        )
