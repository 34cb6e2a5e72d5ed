// The measures by name.
#pragma once

#include "m3lak/evaluate.h"

namespace m3lak {

struct NamedMeasure {
  const char* title;
  const char* key;  ///< in JSON and CSV
  double Measures::*value;
};

inline constexpr NamedMeasure named_measures[] = {
    {"accuracy", "accuracy", &Measures::accuracy},
    {"balanced accuracy", "balanced_accuracy", &Measures::balanced_accuracy},
    {"AUC", "auc", &Measures::auc},
    {"log-loss", "log_loss", &Measures::log_loss},
    {"calibration error", "calibration_error", &Measures::calibration_error},
    {"seconds", "seconds", &Measures::seconds},
    {"seconds of training", "fit_seconds", &Measures::fit_seconds},
};

}  // namespace m3lak
