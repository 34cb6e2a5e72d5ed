// Whether a MATLAB file of version 5 is sound.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace m3lak {

/// Walks through all elements of the file, compressed ones too. Throws BadData, which begins with
/// `origin`, if one claims to be larger than what is there for it: matio trusts these claims.
/// Returns how many variables there are.
int check_mat5(std::span<const std::byte> file, const std::string& origin);

}  // namespace m3lak
