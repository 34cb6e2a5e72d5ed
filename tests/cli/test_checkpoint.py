"""Training that is killed, stopped or disturbed, and goes on."""

import random
import shutil
import signal
import subprocess
import time

import pytest

# A run of about one second: tuning, two fits, two chains each.
RUN = [
    *("--iterations", "900", "--burn-in", "450", "--latent", "3", "--features", "20"),
    *("--chains", "2", "--tuning-folds", "2", "--checkpoint-seconds", "0.05"),
]


def train(program, folder, *more, output="model.m3lak", **settings):
    """Starts training on data.npz with a checkpoint."""
    return subprocess.Popen(
        [program, "train", "data.npz", "-o", output, "--checkpoint", "c/fit", *RUN, *more],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        **settings)  # fmt: skip


def finish(process):
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


@pytest.fixture(scope="module")
def unbroken():
    """What a run without a break gives, and how long it takes: known after the first."""
    return []


@pytest.fixture
def whole(program, data, tmp_path, unbroken):
    (tmp_path / "c").mkdir()
    if not unbroken:
        begin = time.monotonic()
        code, _, err = finish(train(program, tmp_path, output="whole.m3lak"))
        assert code == 0, err
        unbroken += (tmp_path / "whole.m3lak").read_bytes(), time.monotonic() - begin
        shutil.rmtree(tmp_path / "c")
        (tmp_path / "c").mkdir()
    return unbroken


def until_there(path, process):
    while not path.exists():
        assert process.poll() is None
        time.sleep(0.005)


def test_kill_at_twenty_random_moments(program, tmp_path, whole):
    expected, seconds = whole
    moments = random.Random(1)
    resumed = 0
    for _ in range(20):
        process = train(program, tmp_path, "--resume", "--threads", str(moments.randint(1, 3)))
        time.sleep(moments.uniform(0, 0.4 * seconds))
        process.kill()
        finish(process)
        resumed += (tmp_path / "c/fit").exists()
    assert resumed > 5
    code, _, err = finish(train(program, tmp_path, "--resume"))
    assert code == 0, err
    assert (tmp_path / "model.m3lak").read_bytes() == expected
    assert sorted(file.name for file in (tmp_path / "c").iterdir()) == ["fit", "fit.previous"]


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_writes_a_checkpoint_and_says_how_to_go_on(
    program, data, tmp_path, number, status
):
    (tmp_path / "c").mkdir()
    sizes = []
    for _ in range(3):
        process = subprocess.Popen(
            [program, "train", data, "-o", "model.m3lak", "--checkpoint", "c/fit", "--resume",
             "--iterations", "1000000", "--burn-in", "1", "--thin", "10", "--latent", "3",
             "--features", "5", "--scaling", "center", "--calibrate", "no"],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        while "sampling" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(number)
        code, _, err = finish(process)
        assert code == status
        assert "to go on from c/fit, run the same command with --resume" in err
        assert "warning" not in err
        sizes.append((tmp_path / "c/fit").stat().st_size)
    assert sizes[0] < sizes[1] < sizes[2]  # each time there are more draws


def test_a_second_signal_leaves_the_checkpoint_whole(program, tmp_path, whole):
    expected, _ = whole
    process = train(program, tmp_path)
    until_there(tmp_path / "c/fit", process)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    finish(process)
    code, _, err = finish(train(program, tmp_path, "--resume"))
    assert code == 0 and "warning" not in err, err
    assert (tmp_path / "model.m3lak").read_bytes() == expected


def test_without_resume_it_starts_afresh_and_says_so(program, tmp_path, whole):
    expected, _ = whole
    assert finish(train(program, tmp_path))[0] == 0
    code, _, err = finish(train(program, tmp_path))
    assert code == 0
    assert "c/fit is there already and will be replaced; --resume would go on from it" in err
    assert (tmp_path / "model.m3lak").read_bytes() == expected


def test_an_altered_checkpoint_is_refused_and_the_one_before_is_used(program, tmp_path, whole):
    expected, _ = whole
    assert finish(train(program, tmp_path))[0] == 0
    file = tmp_path / "c/fit"
    altered = bytearray(file.read_bytes())
    altered[len(altered) // 2] ^= 1
    file.write_bytes(altered)
    code, _, err = finish(train(program, tmp_path, "--resume"))
    assert code == 0
    assert "warning: c/fit: is damaged or cut short" in err and "c/fit.previous" in err
    assert (tmp_path / "model.m3lak").read_bytes() == expected


def test_another_fit_is_refused_with_the_difference(program, m3lak, tmp_path, whole):
    assert finish(train(program, tmp_path))[0] == 0
    code, _, err = finish(train(program, tmp_path, "--resume", "--C", "4"))
    assert code == 3
    assert "is a checkpoint of another fit: C was 2 and is 4." in err
    m3lak("simulate", "-o", "data.npz", "--instances", 80, "--views", "6,8", "--seed", 5)
    code, _, err = finish(train(program, tmp_path, "--resume"))
    assert code == 3
    assert "was 80 x 6 with fingerprint" in err and "labels was" in err


# Disks that are full or read-only, in a name space where they can be mounted by anyone.

UNSHARE = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]


@pytest.fixture
def can_mount():
    if subprocess.run([*UNSHARE, "mount -t tmpfs none /tmp"], capture_output=True).returncode:
        pytest.skip("this system lets nobody mount a disk of their own")


def mounted(script, folder, program, *arguments):
    """Runs a script of the shell in which $train trains, and a small disk can be mounted on c."""
    command = [program, "train", "data.npz", "-o", "model.m3lak", "--checkpoint", "c/fit"]
    words = " ".join(map(str, [*command, *RUN, *arguments]))
    done = subprocess.run(
        [*UNSHARE, f'train="{words}"; {script}'],
        cwd=folder, capture_output=True, text=True, timeout=300)  # fmt: skip
    return done.returncode, done.stderr


def assert_goes_on_from_kept(program, folder, expected):
    """From the checkpoint that was left on such a disk, after that was done with."""
    assert (folder / "model.m3lak").read_bytes() == expected
    (folder / "model.m3lak").unlink()
    (folder / "c/fit").write_bytes((folder / "kept").read_bytes())
    code, _, err = finish(train(program, folder, "--resume"))
    assert code == 0 and "warning" not in err, err
    assert (folder / "model.m3lak").read_bytes() == expected


def test_a_full_disk_is_told_of_and_the_older_checkpoint_stays(program, tmp_path, whole, can_mount):
    expected, _ = whole
    # First a checkpoint that fits, of tuning; then, as draws come, the disk is too small.
    code, err = mounted(
        "mount -t tmpfs -o size=96k none c && $train; code=$?; ls -A c >&2; "
        "cp c/fit kept; exit $code",
        tmp_path, program,
    )  # fmt: skip
    assert code == 0, err
    assert "warning: the checkpoint could not be written: c/fit: No space left on device" in err
    assert ".part" not in err
    assert_goes_on_from_kept(program, tmp_path, expected)


def test_a_read_only_folder_is_refused_before_any_work(program, tmp_path, whole, can_mount):
    code, err = mounted("mount -t tmpfs -o ro none c && $train", tmp_path, program)
    assert code == 2
    assert "c/fit: the folder c cannot be written to" in err
    assert not (tmp_path / "model.m3lak").exists()


def test_a_folder_that_becomes_read_only_is_told_of(program, tmp_path, whole, can_mount):
    expected, _ = whole
    code, err = mounted(
        "mount -t tmpfs none c && { $train & } && while [ ! -e c/fit ]; do sleep 0.01; done && "
        "mount -o remount,ro c; wait $!; code=$?; cp c/fit kept; exit $code",
        tmp_path, program,
    )  # fmt: skip
    assert code == 0, err
    assert "warning: the checkpoint could not be written" in err
    assert_goes_on_from_kept(program, tmp_path, expected)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--resume"], ["--resume: also give --checkpoint FILE"]),
        (["--checkpoint", "model.m3lak"], ["is where the model is to go"]),
        (["--checkpoint", "data.npz"], ["data.npz: is there already and is something else"]),
        (["--checkpoint", "no/folder"], ["the folder no does not exist"]),
        (["--checkpoint", "c", "--checkpoint-every", "0"], ["--checkpoint-every"]),
        (["--checkpoint", "c", "--checkpoint-seconds", "-1"], ["--checkpoint-seconds"]),
    ],
)
def test_bad_options_are_refused(refuses, data, tiny, arguments, words):
    refuses(2, words, "train", data, "-o", "model.m3lak", *tiny, *arguments)
