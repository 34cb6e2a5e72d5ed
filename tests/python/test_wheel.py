"""A wheel, in a clean environment."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel_in_a_clean_environment(program, tmp_path):
    build = Path(program).parent
    run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-q",
        "-C", f"build-dir={build}", "-w", tmp_path, ROOT)  # fmt: skip
    (wheel,) = tmp_path.glob("m3lak-*.whl")
    clean = tmp_path / "clean"
    run(sys.executable, "-m", "venv", clean)
    run(clean / "bin/pip", "install", "-q", "--disable-pip-version-check", wheel)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    script = (
        "from m3lak import M3LAKClassifier, simulate\n"
        "views, y = simulate(instances=60, views=(4, 3))\n"
        "model = M3LAKClassifier(iterations=30, burn_in=10).fit(views, y)\n"
        "print(model.score(views, y) > 0.7)\n"
    )
    python = clean / "bin/python"
    out = run(python, "-W", "ignore", "-c", script, cwd=tmp_path, env=environment)
    assert out == "True\n"
    version = run(clean / "bin/m3lak", "--version", cwd=tmp_path, env=environment)
    assert version == run(program, "--version")
    typed = run(python, "-c", "import m3lak, pathlib; p = pathlib.Path(m3lak.__file__).parent; "
                "print(sorted(x.name for x in p.iterdir()))",
                cwd=tmp_path, env=environment)  # fmt: skip
    assert "py.typed" in typed and "_core.pyi" in typed
