// How a label that is a number is written as text.
#pragma once

#include <string>

namespace m3lak {

/// As short as it can be read back: 3.0 is "3".
std::string label_text(double value);

}  // namespace m3lak
