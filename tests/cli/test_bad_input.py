"""Bad input: the message names the file, the place and the remedy; the exit code tells the kind."""

import gzip

import h5py
import numpy as np
import pytest
import scipy.io

USAGE, DATA = 2, 3


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return name

    return write_file


def test_missing_file(refuses):
    refuses(DATA, ["none.csv", "no such file"], "inspect", "--view", "none.csv")
    refuses(DATA, ["none.npz", "no such file"], "inspect", "none.npz")
    refuses(DATA, ["y.csv", "no such file"], "inspect", "a.csv", "--labels", "y.csv")


def test_empty_file(refuses, write):
    for name in ("a.csv", "a.npz", "a.mat", "a.h5mu", "a.svm"):
        refuses(DATA, [name, "is empty"], "inspect", write(name, ""))


def test_folder(refuses, tmp_path):
    (tmp_path / "views").mkdir()
    refuses(DATA, ["views", "is a folder", "name a file in it"], "inspect", "views")


def test_cut_off_text(refuses, write):
    refuses(DATA, ["a.csv", "line 3", "2 cells", "cut off"],
            "inspect", write("a.csv", "a,b,c\n1,2,3\n4,5"))  # fmt: skip
    whole = gzip.compress(b"a,b,c\n" + b"1,2,3\n" * 1000)
    refuses(DATA, ["a.csv.gz", "cut off"], "inspect", write("a.csv.gz", whole[:40]))


@pytest.mark.parametrize("ending", ["npy", "npz", "mat", "h5", "h5mu"])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
def test_cut_off_binary(m3lak, refuses, write, tmp_path, ending, share):
    m3lak("simulate", "-o", f"whole.{ending}", "--instances", 100, "--views", "200")
    (path,) = (p for p in tmp_path.glob(f"whole*.{ending}") if "labels" not in p.name)
    data = path.read_bytes()
    cut = write(f"cut.{ending}", data[: int(len(data) * share)])
    refuses(DATA, [cut], "inspect", cut)


def test_binary_where_text_is_expected(refuses, write):
    refuses(DATA, ["a.csv", "no text"], "inspect", write("a.csv", bytes(range(256)) * 10))


def test_text_where_binary_is_expected(refuses, write):
    for name in ("a.npy", "a.npz", "a.mat", "a.h5", "a.h5mu"):
        refuses(DATA, [name], "inspect", write(name, "a,b\n1,2\n" * 100))


def test_ragged_rows(refuses, write):
    refuses(DATA, ["a.csv", "line 4", "3 cells", "2"],
            "inspect", write("a.csv", "a,b\n1,2\n3,4\n5,6,7\n8,9\n"))  # fmt: skip


def test_text_in_a_number_column(refuses, write):
    refuses(DATA, ["a.csv", "line 3", "'b'", "high"],
            "inspect", write("a.csv", "a,b\n1,2\n3,high\n"))  # fmt: skip


def test_infinite(refuses, write, tmp_path):
    refuses(DATA, ["a.csv", "line 3", "'b'", "inf"],
            "inspect", write("a.csv", "a,b\n1,2\n3,inf\n"))  # fmt: skip
    np.savez(tmp_path / "a.npz", X1=np.array([[1, 2], [3, np.inf]]), y=[0, 1])
    refuses(DATA, ["row 2", "column 2", "infinite"], "inspect", "a.npz")


def test_nan_is_a_missing_cell_unless_refused(m3lak, refuses, write, tmp_path):
    file = write("a.csv", "a,b\n1,2\n3,NaN\n5,\n")
    result = m3lak("inspect", file)
    assert "2 cells are NaN or empty: taken as missing" in result.err
    refuses(DATA, ["a.csv", "line 3", "'b'", "missing"], "inspect", file, "--no-missing-cells")
    np.save(tmp_path / "a.npy", np.array([[1, np.nan], [2, 3]]))
    refuses(DATA, ["view 'a'", "1 cells"], "inspect", "a.npy", "--no-missing-cells")


def test_one_class_only(refuses, write):
    file = write("a.csv", "x,y\n1,yes\n2,yes\n")
    refuses(DATA, ["all labels are 'yes'", "two classes"], "inspect", file, "--label-column", "y")


def test_labels_for_other_rows(refuses, write):
    write("x.csv", "id,a\np,1\nq,2\n")
    write("y.csv", "id,label\nr,1\ns,2\n")
    refuses(DATA, ["y.csv", "other instances", "'r'", "'p'", "--id-column"],
            "inspect", "--view", "x.csv", "--labels", "y.csv")  # fmt: skip
    write("x2.csv", "a\n1\n2\n3\n")
    write("y2.csv", "label\n1\n2\n")
    refuses(DATA, ["y2.csv", "2 labels", "x2.csv", "3 rows"],
            "inspect", "--view", "x2.csv", "--labels", "y2.csv")  # fmt: skip


def test_views_that_disagree(refuses, write, tmp_path):
    write("a.csv", "f\n1\n2\n")
    write("b.csv", "f\n1\n2\n3\n")
    refuses(DATA, ["a.csv", "2 rows", "b.csv", "3", "--id-column"],
            "inspect", "--view", "a.csv", "--view", "b.csv")  # fmt: skip
    np.savez(tmp_path / "c.npz", X1=np.ones((4, 2)), X2=np.ones((5, 3)), y=np.arange(4))
    refuses(DATA, ["c.npz", "X2"], "inspect", "c.npz")


def test_duplicated_ids(refuses, write):
    refuses(DATA, ["a.csv", "'p' occurs twice", "rows 1 and 3"],
            "inspect", write("a.csv", "id,f\np,1\nq,2\np,3\n"))  # fmt: skip


def test_a_header_that_lies(refuses, write, tmp_path):
    np.save(tmp_path / "good.npy", np.ones((10, 3)))
    good = (tmp_path / "good.npy").read_bytes()
    for shape, words in (
        (b"(90, 3), ", ["2160", "240"]),
        (b"(9, 3),  ", ["216", "240"]),
        (b"(99999999999, 3), ", ["99999999999 × 3"]),
        (b"(9999999999, 9999999999), ", ["9999999999 × 9999999999"]),
    ):
        lie = good.replace(b"(10, 3), ", shape)
        refuses(DATA, ["lie.npy", *words], "inspect", write("lie.npy", lie))


def test_wrong_variables(refuses, tmp_path):
    arrays = {"rna": np.ones((4, 2)), "weight": np.ones((4, 3))}
    np.savez(tmp_path / "a.npz", **arrays)
    scipy.io.savemat(tmp_path / "a.mat", arrays)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, array in arrays.items():
            file[name] = array
    for name in ("a.npz", "a.mat", "a.h5"):
        refuses(DATA, [name, "rna", "weight", "4 × 2", "--view-variables"], "inspect", name)
        refuses(DATA, [name, "'meth'", "rna"], "inspect", name, "--view-variables", "meth")
        refuses(DATA, [name, "'who'", "rna"],
                "inspect", name, "--view-variables", "rna", "--label-column", "who")  # fmt: skip


def test_unknown_option_and_command(refuses, write):
    refuses(USAGE, ["--colour", "m3lak inspect --help"], "inspect", "a.csv", "--colour", "red")
    refuses(USAGE, ["no command 'paint'", "m3lak --help"], "paint")
    refuses(USAGE, ["no command 'inspct'", "did you mean 'inspect'?"], "inspct", "a.csv")
    refuses(USAGE, ["--header maybe", "auto|yes|no"], "inspect", "a.csv", "--header", "maybe")
    refuses(USAGE, ["m3lak --help"])
    refuses(USAGE, ["no data", "--view"], "inspect")
    refuses(USAGE, ["--threads"], "inspect", write("a.csv", "f\n1\n"), "--threads", "-2")


def test_wrong_settings(refuses):
    refuses(USAGE, ["instances = 0: must be at least 1"], "simulate", "-o", "a.npz",
            "--instances", 0)  # fmt: skip
    refuses(
        USAGE,
        ["--boundary star", "linear|ring|xor"],
        "simulate",
        "-o",
        "a.npz",
        "--boundary",
        "star",
    )
    refuses(USAGE, ["--output"], "simulate")


def test_output_in_a_folder_that_does_not_exist(refuses):
    refuses(USAGE, ["no/such/a.npz", "does not exist", "mkdir -p"],
            "simulate", "-o", "no/such/a.npz")  # fmt: skip


def test_output_of_an_unknown_kind(refuses):
    refuses(USAGE, ["a.xyz", ".npz"], "simulate", "-o", "a.xyz")


def test_a_format_that_cannot_say_it(m3lak, refuses):
    m3lak("simulate", "-o", "gaps.npz", "--missing-views", 0.3)
    refuses(USAGE, ["svmlight"], "convert", "gaps.npz", "-o", "a.svm")


def test_parts_that_would_overwrite_each_other(refuses, write):
    write("labels.csv", "f\n1\n2\n")
    write("y.csv", "label\na\nb\n")
    refuses(USAGE, ["all.labels.csv", "another name"],
            "convert", "--view", "labels.csv", "--labels", "y.csv", "-o", "all.csv")  # fmt: skip
