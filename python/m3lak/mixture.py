"""The Dirichlet process mixture of Gaussians."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, DensityMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from m3lak import _core
from m3lak._base import seed_of, threads_of


class DirichletProcessMixture(DensityMixin, ClusterMixin, BaseEstimator):
    """Density and clusters of points: Gaussians, as many as the points ask for.

    Draws from the posterior by a slice sampler; millions of points are fine. The result does not
    depend on ``n_jobs``.

    Parameters
    ----------
    concentration : float
        Large values want many components. It is where the sampler starts, unless
        ``sample_concentration`` is False.
    sample_concentration : bool
        Learn the concentration, under Gamma(``concentration_shape``, ``concentration_rate``).
    mean, strength, scale, dof
        The base measure: covariances are InverseWishart(dof, scale), means N(mean,
        covariance / strength). None: chosen from the mean and covariance of the points.
    iterations, burn_in : int
        All iterations, and those at the start that are thrown away.
    thin : int or None
        Keep every so many-th draw after that. None: so that about 25 are kept.
    n_jobs : int or None
        Threads; None: all cores, or as many as OMP_NUM_THREADS says.
    random_state : int, RandomState or None
        None makes two fits differ.

    Attributes
    ----------
    n_components_ : int
        Of the last draw, as are all that follow.
    weights_, means_, covariances_ : arrays
        Of its components. Weights add up to less than 1: the rest belongs to components without
        points.
    concentration_ : float
    component_counts_ : array
        The number of components after each iteration.

    Examples
    --------
    >>> import numpy as np
    >>> from m3lak import DirichletProcessMixture
    >>> rng = np.random.default_rng(1)
    >>> X = np.concatenate([rng.normal(centre, 1, (500, 2)) for centre in (-9, 0, 9)])
    >>> mixture = DirichletProcessMixture().fit(X)
    >>> len(np.unique(mixture.predict([[-9, -9], [0, 0], [9, 9]])))
    3
    """

    def __init__(
        self,
        *,
        concentration: float = 1,
        sample_concentration: bool = True,
        concentration_shape: float = 1,
        concentration_rate: float = 1,
        mean: Any = None,
        strength: float | None = None,
        scale: Any = None,
        dof: float | None = None,
        iterations: int = 100,
        burn_in: int = 50,
        thin: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = 1,
    ) -> None:
        self.concentration = concentration
        self.sample_concentration = sample_concentration
        self.concentration_shape = concentration_shape
        self.concentration_rate = concentration_rate
        self.mean = mean
        self.strength = strength
        self.scale = scale
        self.dof = dof
        self.iterations = iterations
        self.burn_in = burn_in
        self.thin = thin
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> DirichletProcessMixture:
        """One row a point. ``y`` is there for pipelines and is not looked at."""
        X = validate_data(self, X, dtype=np.float64, order="C")
        mixture = _core.DirichletProcessMixture(self._options())
        interrupted = mixture.fit(X)
        if interrupted is not None:
            raise interrupted
        self._become(mixture)
        self.component_counts_ = np.asarray(mixture.component_counts)
        self.labels_ = np.asarray(mixture.assign(X), dtype=np.intp)
        return self

    def _options(self) -> _core.MixtureOptions:
        options = _core.MixtureOptions()
        for name, value in self.get_params().items():
            if name in ("n_jobs", "random_state") or value is None:
                continue
            if name in ("mean", "scale"):
                value = np.asarray(value, dtype=np.float64)
            try:
                setattr(options, name, value)
            except TypeError:
                raise ValueError(f"{name}={value!r} is not of a kind that it can be") from None
        options.seed = seed_of(self.random_state)
        options.threads = threads_of(self.n_jobs)
        return options

    def _become(self, mixture: _core.DirichletProcessMixture) -> None:
        self._mixture = mixture
        components, _, self.concentration_ = mixture.draws[-1]
        self.n_components_ = len(components)
        self.weights_ = np.array([weight for weight, _, _ in components])
        self.means_ = np.array([mean for _, mean, _ in components])
        self.covariances_ = np.array([factor @ factor.T for _, _, factor in components])

    def _read(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, order="C", reset=False)

    def predict(self, X: Any) -> np.ndarray:
        """Of each point, the component (of the last draw) that it most probably comes from."""
        X = self._read(X)
        return np.asarray(self._mixture.assign(X), dtype=np.intp)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Of each point, the probability of each component of the last draw."""
        X = self._read(X)
        return self._mixture.probability(X)

    def score_samples(self, X: Any) -> np.ndarray:
        """Of each point, the log of the posterior predictive density."""
        X = self._read(X)
        return self._mixture.log_density(X)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of ``score_samples``."""
        return float(self.score_samples(X).mean())

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        mixture = state.pop("_mixture", None)
        if mixture is not None:
            options = mixture.options
            names = [name for name in dir(options) if not name.startswith("_")]
            state["_draws"] = ({name: getattr(options, name) for name in names}, mixture.draws)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        kept = state.pop("_draws", None)
        super().__setstate__(state)
        if kept is not None:
            options = _core.MixtureOptions()
            for name, value in kept[0].items():
                setattr(options, name, value)
            self._mixture = _core.DirichletProcessMixture.of_draws(options, kept[1])
