#include "rivals/rival.h"

#include "m3lak/error.h"

namespace m3lak {

Size size_of(const Dataset& data) {
  Size size{data.instances(), {}};
  for (const View& view : data.views) size.features.push_back(view.features());
  return size;
}

void stop_if(const std::function<bool()>& stop) {
  if (stop && stop()) throw Stopped("stopped while it was being trained");
}

}  // namespace m3lak
