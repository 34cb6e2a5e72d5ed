#include "model/frequencies.h"

namespace m3lak {

std::unique_ptr<FrequencyMoves> frequency_moves(Workers& workers, const Problem& problem,
                                                const Hinge& hinge, Sweep sweep,
                                                Precision precision) {
  const bool mixed = precision == Precision::mixed;
  const auto make = sweep == Sweep::together
                        ? (mixed ? frequencies_together<float> : frequencies_together<double>)
                        : (mixed ? frequencies_one_by_one<float> : frequencies_one_by_one<double>);
  return make(workers, problem, hinge);
}

}  // namespace m3lak
