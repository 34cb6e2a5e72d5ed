// How much memory there is.
#pragma once

namespace m3lak {

/// Bytes that can still be had without swapping, as far as the system says; infinite if it does
/// not.
double available_memory();

}  // namespace m3lak
