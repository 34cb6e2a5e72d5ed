"""Peak memory of training beside the size of X, NUS-WIDE's shape, from .npy files of float.

bench/run memory [INSTANCES…]
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from nus_wide import features, peak_of_children, train, write_data


def measure(instances, precision):
    """In a process of its own, so that the peak is that of this run."""
    with tempfile.TemporaryDirectory(dir=".") as name:
        folder = Path(name)
        paths = write_data(folder, instances)
        few, many = 4, 8
        first = train(folder, paths, precision, few)
        an_iteration = (train(folder, paths, precision, many) - first) / (many - few)
    peak = peak_of_children()
    size = instances * sum(features) * (8 if precision == "double" else 4)
    print(
        f"{instances:>10} {precision:>8} {size / 2**20:>10.0f} {peak / 2**20:>10.0f} "
        f"{peak / size:>8.2f} {an_iteration:>12.2f}",
        flush=True,
    )


if len(sys.argv) == 3 and sys.argv[1] in ("double", "mixed"):
    measure(int(sys.argv[2]), sys.argv[1])
else:
    print(
        f"{'N':>10} {'':>8} {'X, MiB':>10} {'peak, MiB':>10} {'ratio':>8} {'s/iteration':>12}",
        flush=True,
    )
    for size in sys.argv[1:] or ("10000", "100000"):
        for kept_in in ("double", "mixed"):
            subprocess.run([sys.executable, __file__, kept_in, size], check=True)
