"""What a model has learned, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from m3lak import _core


class Learned:
    """Of a fitted M3LAKClassifier. Of several fits, all is told of the heaviest.

    Draws are turned into one orientation first (that of the last), as the model does not care how
    its latent space is turned.
    """

    model_: _core.Model
    view_names_: list[str]

    @property
    def checks_(self) -> list[dict[str, Any]]:
        """Whether the chains are to be trusted: name, passed, value, meaning and remedy each."""
        check_is_fitted(self)
        return self.model_.checks

    @property
    def tried_(self) -> list[dict[str, Any]]:
        """Scalings and settings that were looked at by cross-validation, and their weights."""
        check_is_fitted(self)
        return self.model_.tried

    @property
    def trace_(self) -> dict[str, np.ndarray]:
        """What happened, one entry an iteration and chain: log_joint, kernel_scale, noise, …"""
        check_is_fitted(self)
        return self.model_.trace

    def _projections(self) -> dict[str, np.ndarray]:
        """Of each view W of all draws: draws × features × latent dimensions."""
        check_is_fitted(self)
        draws, turns = self.model_.draws, self.model_.turns
        return {
            name: np.array(
                [
                    draw.views[i].projection[:, : len(turn)] @ turn.T
                    for draw, turn in zip(draws, turns, strict=True)
                ]
            )
            for i, name in enumerate(self.view_names_)
        }

    @property
    def loadings_(self) -> dict[str, np.ndarray]:
        """Of each view, how each feature goes with each latent dimension: the mean of W.

        In units of the scaled data; one row a feature.
        """
        return {name: W.mean(axis=0) for name, W in self._projections().items()}

    @property
    def relevance_(self) -> dict[str, np.ndarray]:
        """Of each view, the variance that each latent dimension explains of a feature, on average.

        Dimensions that a view has no use for are pruned: they explain next to nothing.
        """
        return {name: np.square(W).mean(axis=(0, 1)) for name, W in self._projections().items()}

    @property
    def feature_relevance_(self) -> dict[str, np.ndarray]:
        """Of each view, the variance of each feature that the shared latent space explains."""
        return {
            name: np.square(W).sum(axis=2).mean(axis=0) for name, W in self._projections().items()
        }

    @property
    def feature_weights_(self) -> dict[str, np.ndarray]:
        """Of each view, the weight of each feature in the linear part of the classifier.

        Large and positive: it speaks for the second class; of several classes there is a column
        each. In units of the scaled data.
        """
        check_is_fitted(self)
        return {
            name: weights[:, 0] if weights.shape[1] == 1 else weights
            for name, weights in zip(self.view_names_, self.model_.linear_weights, strict=True)
        }

    @property
    def frequencies_(self) -> np.ndarray:
        """The random frequencies: draws × features × latent dimensions."""
        check_is_fitted(self)
        model = self.model_
        return np.array(
            [
                (turn @ draw.frequencies).T
                for draw, turn in zip(model.draws, model.turns, strict=True)
            ]
        )

    @property
    def mixture_(self) -> list[dict[str, np.ndarray]]:
        """Of each draw, the Gaussians that frequencies follow: weights, means and covariances."""
        check_is_fitted(self)
        mixtures = []
        for draw, turn in zip(self.model_.draws, self.model_.turns, strict=True):
            parts = draw.components
            factors = [turn @ np.tril(part.factor) for part in parts]
            mixtures.append(
                {
                    "weights": np.array([part.weight for part in parts]),
                    "means": np.array([turn @ part.mean for part in parts]),
                    "covariances": np.array([factor @ factor.T for factor in factors]),
                }
            )
        return mixtures

    def _directions(self, directions: Any) -> np.ndarray:
        m = int(self.model_.options.get("latent"))
        if directions is None:
            total = sum(self.relevance_.values())
            return np.eye(m)[np.argsort(-total, kind="stable")[:3]]
        directions = np.atleast_2d(np.asarray(directions, dtype=float))
        if directions.shape[1] != m:
            raise ValueError(
                f"directions: have {directions.shape[1]} dimensions; the latent space has {m}"
            )
        return directions

    def kernel(
        self, t: Any, directions: Any = None, level: float = 0.9
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The learned kernel k(t · direction): its posterior mean, and a credible band.

        Parameters
        ----------
        t : array
            Distances in the latent space, whose dimensions have unit variance.
        directions : array, optional
            One row a direction; by default the three latent dimensions that explain most.
        level : float
            The posterior probability of the band, at each t.

        Returns
        -------
        mean, low, high : arrays of directions × t
        """
        check_is_fitted(self)
        if not 0 < level < 1:
            raise ValueError(f"level={level}: must be above 0 and below 1")
        t = np.atleast_1d(np.asarray(t, dtype=float))
        phases = self.frequencies_ @ self._directions(directions).T  # draws × features × directions
        values = np.array(
            [np.cos(draw.T[:, :, None] * t).mean(axis=1) for draw in phases]
        )  # draws × directions × t
        low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return values.mean(axis=0), low, high

    def to_arviz(self) -> Any:
        """The kept part of the trace, for ArviZ: ``arviz.summary(model.to_arviz())``.

        The variables do not depend on how the latent space is turned: log_joint, weight_norm,
        kernel_scale, components, noise of each view, and score of a few training instances.
        """
        import arviz

        trace = self.trace_
        kept = trace["kept"] > 0
        chains = [kept & (trace["chain"] == chain) for chain in np.unique(trace["chain"])]
        draws = min(int(chain.sum()) for chain in chains)
        if draws == 0:
            raise ValueError("the model was stopped before any draw was kept")
        names = ["log_joint", "weight_norm", "kernel_scale", "components", "noise", "score"]
        posterior = {
            name: np.array([trace[name][chain][-draws:] for chain in chains]) for name in names
        }
        settings: dict[str, Any] = {
            "coords": {"view": self.view_names_},
            "dims": {"noise": ["view"], "score": ["instance"]},
        }
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict({"posterior": posterior}, **settings)
        return arviz.from_dict(posterior=posterior, **settings)
