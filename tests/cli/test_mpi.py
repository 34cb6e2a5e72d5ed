"""Several processes, started by mpirun, train one model: the same bytes as one process."""

import json
import os
import random
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from cli.test_checkpoint import finish

ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # More processes than cores share them in peace.
    "OMPI_MCA_mpi_yield_when_idle": "1",
    # Open MPI itself does not free all that it takes.
    "ASAN_OPTIONS": "detect_leaks=0",
}
SMALL = ["--iterations", "20", "--burn-in", "8", "--latent", "5", "--features", "10"]
ONE_FIT = [*SMALL, "--scaling", "standardize", "--calibrate", "no"]


@pytest.fixture
def run(program, tmp_path):
    """Starts so many processes (0: the program alone)."""

    def start(processes, *arguments):
        words = ["mpirun", "--oversubscribe", "-n", str(processes)] if processes else []
        return subprocess.Popen(
            [*words, program, *map(str, arguments)], cwd=tmp_path, env=ENVIRONMENT,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip

    return start


@pytest.fixture
def same_for_any_number(run, tmp_path):
    def check(*arguments, numbers=(1, 2, 4)):
        code, _, err = finish(run(0, "train", *arguments, "-o", "alone.m3lak", "--quiet"))
        assert code == 0, err
        for processes in numbers:
            code, _, err = finish(run(processes, "train", *arguments, "-o", "all.m3lak", "--quiet"))
            assert code == 0, err
            alone = (tmp_path / "alone.m3lak").read_bytes()
            assert (tmp_path / "all.m3lak").read_bytes() == alone, processes

    return check


@pytest.fixture
def gaps(m3lak):
    m3lak("simulate", "-o", "gaps.npz", "--instances", 1500, "--views", "6,9", "--missing-views",
          0.1, "--missing-cells", 0.02, "--unknown-labels", 0.1)  # fmt: skip
    return "gaps.npz"


@pytest.mark.parametrize(
    "settings",
    [
        [*ONE_FIT],
        [*ONE_FIT, "--label-weight", "1", "--precision", "mixed", "--chains", "2"],
        pytest.param(
            [*ONE_FIT, "--sweep", "together", "--linear", "0", "--start", "random"],
            marks=pytest.mark.long,
        ),
        pytest.param(
            ["--preset", "paper", "--C", "2", "--iterations", "12", "--burn-in", "5"],
            marks=pytest.mark.long,
        ),
    ],
    ids=["default", "labels fed back", "together", "paper"],
)
def test_the_model_is_the_same_for_1_2_and_4_processes(gaps, same_for_any_number, settings):
    same_for_any_number(gaps, *settings)


@pytest.mark.long
def test_so_it_is_when_tuned(gaps, same_for_any_number):
    same_for_any_number(gaps, *SMALL, "--tuning-folds", 3, "--threads", 1, numbers=(2, 4))


@pytest.mark.long
def test_so_it_is_where_labels_are_held_back(m3lak, same_for_any_number):
    m3lak("simulate", "-o", "large.npz", "--instances", 10_500, "--views", "3,4")
    same_for_any_number("large.npz", *SMALL, "--scaling", "standardize",
                        "--tuning-folds", 2, numbers=(2, 4))  # fmt: skip


@pytest.mark.long
def test_so_it_is_of_few_instances_with_many_features(m3lak, same_for_any_number):
    # Turned, and fewer blocks than processes.
    m3lak("simulate", "-o", "wide.npz", "--instances", 300, "--views", "700,5")
    same_for_any_number("wide.npz", *ONE_FIT, numbers=(2, 8))


@pytest.mark.long
def test_so_it_is_of_tables_arrays_and_hdf5(m3lak, tmp_path, same_for_any_number):
    for ending in ("csv", "npy", "h5"):
        name = f"d.{ending}"
        m3lak("simulate", "-o", name, "--instances", 1100, "--views", "6,70")
        source = [name]
        if ending != "h5":
            source = ["--view", f"d.view1.{ending}", "--view", f"d.view2.{ending}"]
            source += ["--labels", f"d.labels.{ending}"]
        same_for_any_number(*source, *ONE_FIT, numbers=(2, 4))


@pytest.mark.long
def test_three_processes_agree_but_for_rounding(run, gaps, tmp_path):
    for processes in (0, 3):
        code, _, err = finish(
            run(processes, "train", gaps, "-o", f"{processes}.m3lak", "--quiet",
                "--iterations", 2, "--burn-in", 1, *ONE_FIT[4:]))  # fmt: skip
        assert code == 0, err
        code, _, err = finish(
            run(0, "predict", f"{processes}.m3lak", gaps, "-o", f"{processes}.csv")
        )
        assert code == 0, err
    alone, three = (
        np.genfromtxt(tmp_path / f"{p}.csv", delimiter=",", skip_header=1)[:, 2:] for p in (0, 3)
    )
    assert np.allclose(alone, three, atol=1e-6)
    assert not np.array_equal(alone, three)  # sums are in another order


def test_predictions_are_the_same(run, gaps, tmp_path):
    assert finish(run(0, "train", gaps, "-o", "m.m3lak", *ONE_FIT))[0] == 0
    for processes in (0, 3):
        code, out, err = finish(
            run(processes, "predict", "m.m3lak", gaps, "-o", f"{processes}.csv", "--json",
                "--latent"))  # fmt: skip
        assert code == 0, err
        assert out.count("accuracy") == 2  # and the balanced one: the summary is there once
        assert err.count("wrote") == 1
    assert (tmp_path / "0.csv").read_bytes() == (tmp_path / "3.csv").read_bytes()


def test_folds_are_shared_out(run, gaps):
    measures = []
    for processes in (0, 3):
        code, out, err = finish(run(processes, "evaluate", gaps, "--folds", 5, "--json", *ONE_FIT))
        assert code == 0, err
        found = json.loads(out)
        measures.append(([fold["log_loss"] for fold in found["folds"]], found["reliability"]))
    assert measures[0] == measures[1] and len(measures[0][0]) == 5
    assert sum(bin["instances"] for bin in measures[0][1]) > 0


LONG = [
    *("gaps.npz", "--iterations", "400", "--burn-in", "50", "--latent", "3", "--features", "10"),
    *("--scaling", "standardize", "--calibrate", "no", "--chains", "2"),
    *("--checkpoint", "c/fit", "--checkpoint-every", "20"),
]


@pytest.fixture
def whole(run, gaps, tmp_path):
    (tmp_path / "c").mkdir()
    code, _, err = finish(run(0, "train", *LONG, "-o", "alone.m3lak"))
    assert code == 0, err
    shutil.rmtree(tmp_path / "c")
    (tmp_path / "c").mkdir()
    return (tmp_path / "alone.m3lak").read_bytes()


def ranks_of(process):
    """The processes that mpirun started."""
    found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


def wait_for(condition, process):
    while not condition():
        assert process.poll() is None
        time.sleep(0.01)


@pytest.mark.long
def test_one_of_four_is_killed_and_two_go_on(run, whole, tmp_path):
    process = run(4, "train", *LONG, "-o", "model.m3lak")
    wait_for((tmp_path / "c/fit.previous").exists, process)
    os.kill(random.Random(2).choice(ranks_of(process)), signal.SIGKILL)
    assert finish(process)[0] != 0
    assert not (tmp_path / "model.m3lak").exists()
    code, _, err = finish(run(2, "train", *LONG, "-o", "model.m3lak", "--resume"))
    assert code == 0 and "warning" not in err, err
    assert (tmp_path / "model.m3lak").read_bytes() == whole
    # One format for one process and many: what is done is done for all.
    (tmp_path / "model.m3lak").unlink()
    assert finish(run(0, "train", *LONG, "-o", "model.m3lak", "--resume"))[0] == 0
    assert (tmp_path / "model.m3lak").read_bytes() == whole


@pytest.mark.long
def test_a_checkpoint_of_one_is_gone_on_from_by_four(run, whole, tmp_path):
    process = run(0, "train", *LONG, "-o", "model.m3lak")
    wait_for((tmp_path / "c/fit").exists, process)
    process.kill()
    finish(process)
    code, _, err = finish(run(4, "train", *LONG, "-o", "model.m3lak", "--resume"))
    assert code == 0, err
    assert (tmp_path / "model.m3lak").read_bytes() == whole


@pytest.mark.long
def test_a_signal_stops_all_of_them_and_they_go_on(run, whole, tmp_path):
    process = run(2, "train", *LONG, "-o", "model.m3lak")
    wait_for((tmp_path / "c/fit").exists, process)
    process.send_signal(signal.SIGUSR1)
    code, _, err = finish(process)
    assert code == 143, err
    assert err.count("to go on from c/fit, run the same command with --resume") == 1
    code, _, err = finish(run(4, "train", *LONG, "-o", "model.m3lak", "--resume"))
    assert code == 0, err
    assert (tmp_path / "model.m3lak").read_bytes() == whole


def test_a_disk_that_cannot_be_written_to_is_warned_of_once(run, whole, tmp_path):
    process = run(2, "train", *LONG, "-o", "model.m3lak", "--resume")
    wait_for((tmp_path / "c/fit").exists, process)
    shutil.rmtree(tmp_path / "c")
    code, _, err = finish(process)
    assert code == 0, err
    assert "warning: the checkpoint could not be written" in err
    assert (tmp_path / "model.m3lak").read_bytes() == whole


def test_errors_are_told_once_and_end_all(run, m3lak, tmp_path):
    begin = time.monotonic()
    code, _, err = finish(run(3, "train", "nowhere.npz", "-o", "m.m3lak"))
    assert code == 3 and err.count("m3lak: nowhere.npz") == 1, err
    code, _, err = finish(run(2, "train", "--latent", "-3", "nowhere.npz", "-o", "m.m3lak"))
    assert code == 2 and err.count("latent") == 1, err
    # What only the last process sees.
    m3lak("simulate", "-o", "d.csv", "--instances", 1100, "--views", "6,7")
    lines = (tmp_path / "d.view2.csv").read_text().splitlines()
    lines[-1] = lines[-1].replace(lines[-1].split(",")[2], "abc")
    (tmp_path / "d.view2.csv").write_text("\n".join(lines) + "\n")
    code, _, err = finish(
        run(4, "train", "--view", "d.view1.csv", "--view", "d.view2.csv", "--labels",
            "d.labels.csv", "-o", "m.m3lak", *ONE_FIT))  # fmt: skip
    assert code == 3 and "abc" in err and "d.view2.csv" in err, err
    assert not (tmp_path / "m.m3lak").exists()
    assert time.monotonic() - begin < 100


def test_what_cannot_be_shared_is_done_by_the_first(run, tmp_path):
    code, out, err = finish(run(3, "simulate", "-o", "d.npz", "--instances", 50))
    assert code == 0 and err.count("d.npz") <= 1
    code, out, err = finish(run(2, "inspect", "d.npz"))
    assert code == 0 and out.count("50 instances") == 1
    code, out, err = finish(run(2, "train", "--help"))
    assert code == 0 and out.count("Examples:") == 1
