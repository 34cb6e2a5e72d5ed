"""Draws that take more memory than they may are kept in a file, and the model is the same."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

# 40 draws of 88 KiB, and no more than 1 MiB of them in memory.
MANY = ["--scaling", "center", "--calibrate", "no", "--latent", "4", "--features", "10",
        "--iterations", "60", "--burn-in", "20", "--thin", "1", "--linear", "0"]  # fmt: skip


@pytest.fixture
def wide(m3lak):
    m3lak("simulate", "-o", "wide.npz", "--instances", 60, "--views", "1200,1000", "--quiet")
    return "wide.npz"


def train(program, folder, *arguments, tmpdir=None):
    environment = os.environ | ({"TMPDIR": str(tmpdir)} if tmpdir else {})
    return subprocess.run(
        [program, "train", "wide.npz", *MANY, *map(str, arguments)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300)  # fmt: skip


def predictions(m3lak, model):
    return m3lak("predict", model, "wide.npz", "--quiet").out


def test_same_predictions_and_a_note(m3lak, program, wide, tmp_path):
    (tmp_path / "tmp").mkdir()
    small = train(program, tmp_path, "-o", "a.m3lak", "--draws-memory", 1, tmpdir=tmp_path / "tmp")
    assert small.returncode == 0, small.stderr
    assert "2 MiB of that are more than --draws-memory allows and go to a file in " in small.stderr
    assert "tmp (TMPDIR), which goes when the program ends" in small.stderr
    assert "warning" not in small.stderr
    assert not list((tmp_path / "tmp").iterdir())
    large = train(program, tmp_path, "-o", "b.m3lak")
    assert "draws-memory" not in large.stderr
    a, b = (tmp_path / "a.m3lak").read_bytes(), (tmp_path / "b.m3lak").read_bytes()
    assert len(a) > 3 << 20  # all draws are there
    assert (
        a[-(3 << 20) : -4] == b[-(3 << 20) : -4]
    )  # but for a setting in the header, and the checksum
    assert predictions(m3lak, "a.m3lak") == predictions(m3lak, "b.m3lak")


def test_goes_on_without_a_folder_for_them(program, m3lak, wide, tmp_path):
    lost = train(program, tmp_path, "-o", "a.m3lak", "--draws-memory", 1, tmpdir="/no/such/folder")
    assert lost.returncode == 0, lost.stderr
    assert lost.stderr.count("they stay in memory. TMPDIR names another folder") == 1
    assert train(program, tmp_path, "-o", "b.m3lak", "--draws-memory", 1).returncode == 0
    assert (tmp_path / "a.m3lak").read_bytes() == (tmp_path / "b.m3lak").read_bytes()


def test_nothing_is_left_behind_by_a_kill(program, wide, tmp_path):
    (tmp_path / "tmp").mkdir()
    running = subprocess.Popen(
        [program, "train", "wide.npz", *("100000" if word == "60" else word for word in MANY),
         "-o", "a.m3lak", "--draws-memory", "1"],
        cwd=tmp_path, env=os.environ | {"TMPDIR": str(tmp_path / "tmp")},
        stderr=subprocess.PIPE)  # fmt: skip
    while "m3lak-draws" not in Path(f"/proc/{running.pid}/maps").read_text():
        assert running.poll() is None
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert not list((tmp_path / "tmp").iterdir())
