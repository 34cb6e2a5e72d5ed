// Unpacking of gzip.
#pragma once

#include <string>
#include <string_view>

namespace m3lak {

/// By its first bytes, whatever its name.
bool is_gzip(std::string_view bytes);

/// All members of a gzip file, one after the other. Throws BadData, which starts with `origin`, if
/// it is damaged or cut off.
std::string unpack_gzip(std::string_view bytes, const std::string& origin);

}  // namespace m3lak
