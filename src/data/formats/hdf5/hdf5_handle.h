// What keeps HDF5's C interface in order: identifiers that close themselves, and errors that are
// not printed but can be asked for.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace m3lak {

/// An identifier and the function that closes it. Negative: nothing was opened.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : Hdf5Handle() { *this = std::move(other); }
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { close(); }

  explicit operator bool() const { return id_ >= 0; }
  hid_t get() const { return id_; }

  /// Whether all that was written has arrived.
  bool close() {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// How files are opened for reading: without a lock, which network disks often do not have.
inline Hdf5Handle hdf5_read_access() {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), false, true);
  return access;
}

/// Keeps HDF5 from printing its errors in this thread while it lives.
class Hdf5Silence {
 public:
  Hdf5Silence() {
    // After a full disk HDF5 crashes when it tidies up at exit. All that we open we close.
    [[maybe_unused]] static const herr_t no_tidying = H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// What HDF5 says of the last error in this thread, at its origin.
inline std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned depth, const H5E_error2_t* error, void* text) -> herr_t {
        if (depth == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
        return 0;
      },
      &reason);
  return reason.empty() ? "unknown reason" : reason;
}

}  // namespace m3lak
