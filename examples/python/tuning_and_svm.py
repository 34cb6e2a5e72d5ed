"""A grid search in a pipeline, beside support vector machines that are tuned on the same folds.

One class is inside of a ring in the latent space, the other outside: a linear SVM can but guess.
"""

import warnings

import numpy as np
from m3lak import M3LAKClassifier, simulate
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

views, y = simulate(instances=500, views=(20, 30), latent=2, noise=0.3, boundary="ring")
X = np.hstack([views["view1"], views["view2"]])  # one array: scikit-learn cuts it by its rows
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=1)

# One fit of few iterations, for speed: the chain is short, and would warn. The defaults are better.
# `views` are the sizes of the views in X; they are scaled by the pipeline here.
warnings.simplefilter("ignore", ConvergenceWarning)
model = M3LAKClassifier(views=[20, 30], scaling="none", calibrate=False, iterations=100, burn_in=50)

Cs = [0.1, 1, 10, 100]
folds = StratifiedKFold(3, shuffle=True, random_state=1)
for name, classifier, grid in [
    ("M3LAK", model, {"classifier__latent": [2, 5], "classifier__C": [2, 10]}),
    ("linear SVM", SVC(kernel="linear"), {"classifier__C": Cs}),
    ("SVM", SVC(), {"classifier__C": Cs, "classifier__gamma": [0.001, 0.01, 0.1]}),
]:
    pipeline = Pipeline([("scaler", StandardScaler()), ("classifier", classifier)])
    search = GridSearchCV(pipeline, grid, cv=folds).fit(X_train, y_train)
    best = {key.removeprefix("classifier__"): value for key, value in search.best_params_.items()}
    print(f"{name:10}  in cross-validation {search.best_score_:.3f} with {best}")
    print(f"{'':10}  on {len(y_test)} new instances {search.score(X_test, y_test):.3f}")
