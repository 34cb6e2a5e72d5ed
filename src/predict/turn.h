// The model does not care how its latent space is turned: what draws have in common shows once they
// are turned alike.
#pragma once

#include "m3lak/model.h"

namespace m3lak {

/// The rotation that turns the latent space of `draw` into that of `reference`, as near as it can.
Matrix turn_into(const Draw& reference, const Draw& draw);

}  // namespace m3lak
