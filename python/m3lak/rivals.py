"""The methods that M³LAK's paper compares it with, as classifiers of scikit-learn's kind.

Each tunes its own setting by five-fold cross-validation inside of the training data; docs/study.md
says what each is, and how certain it is that it is what its authors had.
"""

from __future__ import annotations

from typing import Any

from m3lak import _core
from m3lak._base import ViewsClassifier, seed_of, threads_of


class RivalClassifier(ViewsClassifier):
    """One of the library's methods, by its name."""

    _method = ""
    _needs_all_views = True

    def __init__(
        self,
        *,
        tune: bool = True,
        views: Any = None,
        unlabeled: Any = None,
        random_state: Any = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.tune = tune
        self.views = views
        self.unlabeled = unlabeled
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> RivalClassifier:
        """Learns from views and labels, as ``M3LAKClassifier`` takes them.

        What is missing is taken to be the mean. MemoryError says how much memory it would need, if
        there is not enough.
        """
        data, found = self._read_training(X, y)
        classifier = _core.Classifier.make(
            self._method_name(),
            seed_of(self.random_state),
            self.tune,
            self._given("latent"),
            self._given("C"),
        )
        interrupt = classifier.fit(data, threads_of(self.n_jobs))
        if interrupt is not None:
            raise interrupt
        self._become(found)
        self.classifier_ = classifier
        return self

    def _method_name(self) -> str:
        return self._method

    def _given(self, name: str) -> Any:
        """A setting that the method may have; 0: as it is by default."""
        value = getattr(self, name, None)
        if value is not None and not value > 0:
            raise ValueError(f"{name}={value}: must be above 0, or None")
        return 0 if value is None else value

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classifier_")

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "classifier_"):
            raise TypeError(
                f"a fitted {type(self).__name__} cannot be pickled; pickle it before it is fitted"
            )
        return super().__getstate__()

    def _predict(self, X: Any) -> _core.Prediction:
        return self.classifier_.predict(self._read(X), threads_of(self.n_jobs))


class _WithLatentSpace(RivalClassifier):
    def __init__(
        self,
        *,
        latent: int | None = None,
        C: float | None = None,
        tune: bool = True,
        views: Any = None,
        unlabeled: Any = None,
        random_state: Any = 1,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            tune=tune, views=views, unlabeled=unlabeled, random_state=random_state, n_jobs=n_jobs
        )
        self.latent = latent
        self.C = C


class BM2SMVLClassifier(_WithLatentSpace):
    """Bayesian max-margin subspace multi-view learning: a shared latent space, linear.

    >>> from m3lak import BM2SMVLClassifier, simulate
    >>> views, y = simulate(instances=100, views=(6, 4), random_state=1)
    >>> bool(BM2SMVLClassifier(tune=False).fit(views, y).score(views, y) > 0.9)
    True
    """

    _method = "bm2smvl"


class MMHClassifier(_WithLatentSpace):
    """Max-margin harmonium: an undirected latent space, linear."""

    _method = "mmh"


class MVMEDClassifier(RivalClassifier):
    """Multi-view maximum entropy discrimination: a kernel machine a view, margins in common."""

    _method = "mvmed"


class VMRMLClassifier(RivalClassifier):
    """Vector-valued manifold regularisation: least squares with kernels and graphs of all views.

    What has no label is left out: graphs are those of labelled instances.
    """

    _method = "vmrml"


class BEMKLClassifier(RivalClassifier):
    """Bayesian efficient multiple kernel learning: many Gaussian kernels a view.

    Kernels narrower than a quarter of a view's median distance are left out, unless
    ``all_widths=True``: then all 21 of each view are used.
    """

    _method = "bemkl"

    def __init__(
        self,
        *,
        all_widths: bool = False,
        tune: bool = True,
        views: Any = None,
        unlabeled: Any = None,
        random_state: Any = 1,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            tune=tune, views=views, unlabeled=unlabeled, random_state=random_state, n_jobs=n_jobs
        )
        self.all_widths = all_widths

    def _method_name(self) -> str:
        return "bemkl-all" if self.all_widths else "bemkl"
