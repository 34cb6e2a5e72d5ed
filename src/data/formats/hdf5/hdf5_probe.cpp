#include "data/formats/hdf5/hdf5_probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "data/formats/hdf5/hdf5_handle.h"
#include "m3lak/error.h"

namespace m3lak {

namespace {

/// Reads what it can of all objects; errors only mean that there is less to read.
class Walk {
 public:
  void group(hid_t group) {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
      static_cast<std::vector<std::string>*>(data)->emplace_back(name);
      return 0;
    };
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
    for (const std::string& name : names) {
      const Hdf5Handle child(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
      if (child) object(child.get());
    }
  }

  void object(hid_t object) {
    H5O_info_t info;
    const bool seen = H5Oget_info2(object, &info, H5O_INFO_BASIC) < 0 ||
                      !visited_.emplace(info.fileno, info.addr).second;
    if (seen) return;
    const auto attribute = [](hid_t parent, const char* name, const H5A_info_t*, void*) -> herr_t {
      const Hdf5Handle handle(H5Aopen(parent, name, H5P_DEFAULT), H5Aclose);
      if (handle) read_attribute(handle.get());
      return 0;
    };
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, attribute, nullptr);
    if (info.type == H5O_TYPE_DATASET) read_dataset(object);
    if (info.type == H5O_TYPE_GROUP) group(object);
  }

 private:
  static constexpr hssize_t large = 1 << 20;

  static void read_attribute(hid_t attribute) {
    const Hdf5Handle type(H5Aget_type(attribute), H5Tclose);
    const Hdf5Handle space(H5Aget_space(attribute), H5Sclose);
    if (!type || !space || H5Sget_simple_extent_npoints(space.get()) > large) return;
    read(type.get(), space.get(),
         [&](hid_t memory, void* buffer) { return H5Aread(attribute, memory, buffer); });
  }

  static void read_dataset(hid_t dataset) {
    const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
    const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
    if (!type || !space) return;
    const hssize_t count = H5Sget_simple_extent_npoints(space.get());
    const auto stored = static_cast<hssize_t>(H5Dget_storage_size(dataset));
    // Texts are where HDF5 is weakest, so all of them are read, if they can be there at all.
    const bool texts = H5Tis_variable_str(type.get()) > 0 && count <= stored;
    if (count <= large || texts) {
      read(type.get(), space.get(), [&](hid_t memory, void* buffer) {
        return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
      });
      return;
    }
    const Hdf5Handle one(H5Screate(H5S_SCALAR), H5Sclose);
    std::vector<hsize_t> place(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
    std::vector<hsize_t> last(place.size());
    H5Sget_simple_extent_dims(space.get(), last.data(), nullptr);
    for (hsize_t& index : last) --index;
    for (const auto& point : {place, last}) {
      H5Sselect_elements(space.get(), H5S_SELECT_SET, 1, point.data());
      read(type.get(), one.get(), [&](hid_t memory, void* buffer) {
        return H5Dread(dataset, memory, one.get(), space.get(), H5P_DEFAULT, buffer);
      });
    }
  }

  template <class Read>
  static void read(hid_t type, hid_t space, const Read& read) {
    const Hdf5Handle memory(H5Tget_native_type(type, H5T_DIR_ASCEND), H5Tclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const std::size_t bytes = memory ? H5Tget_size(memory.get()) : 0;
    constexpr std::size_t most = std::size_t{1} << 32;
    if (count <= 0 || bytes == 0 || bytes > most / static_cast<std::size_t>(count)) return;
    std::vector<char> buffer(static_cast<std::size_t>(count) * bytes);
    if (read(memory.get(), buffer.data()) >= 0 && H5Tdetect_class(memory.get(), H5T_VLEN) > 0) {
      H5Dvlen_reclaim(memory.get(), space, H5P_DEFAULT, buffer.data());
    }
  }

  std::set<std::pair<unsigned long, haddr_t>> visited_;
};

[[noreturn]] void walk_and_exit(const std::filesystem::path& path) {
  // Whatever a dying process prints is of no use to the user, nor is a core file.
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  std::error_code ignored;
  const rlim_t seconds = 2 + std::filesystem::file_size(path, ignored) / 10'000'000;
  const rlimit no_core{0, 0}, time{seconds, seconds};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &time);
  const Hdf5Silence silence;
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, hdf5_read_access().get()), H5Fclose);
  const Hdf5Handle root(file ? H5Gopen2(file.get(), "/", H5P_DEFAULT) : -1, H5Gclose);
  if (root) Walk().object(root.get());
  ::_exit(0);  // the parent's files and exit handlers are not ours
}

}  // namespace

void probe_hdf5(const std::filesystem::path& path) {
  const pid_t child = ::fork();
  if (child < 0) return;  // without a process to spare, HDF5 has to be trusted
  if (child == 0) walk_and_exit(path);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw BadData(fmt::format(
        "{}: is damaged: the HDF5 library does not survive it; copy it again, or write it anew",
        path.string()));
  }
}

}  // namespace m3lak
