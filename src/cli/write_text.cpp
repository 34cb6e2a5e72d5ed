#include "cli/write_text.h"

#include "data/file.h"
#include "data/formats/text/text_writer.h"

namespace m3lak::cli {

void write_text(const std::string& text, const std::filesystem::path& path) {
  AtomicFiles files;
  TextWriter writer(files.stage(path));
  writer.add(text);
  writer.close();
  files.commit();
}

}  // namespace m3lak::cli
