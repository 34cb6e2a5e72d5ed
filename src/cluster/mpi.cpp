#include "cluster/mpi.h"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>

namespace m3lak {

namespace {

/// MPI counts in int.
constexpr std::size_t at_once = std::size_t{1} << 30;

/// mpirun (Open MPI, MPICH) and srun tell their processes by such variables that they belong
/// together. Without any of them MPI would start for one process alone, which takes a while.
bool started_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE", "PMI_RANK"}) {
    if (std::getenv(name)) return true;
  }
  return false;
}

class MpiWorld : public World {
 public:
  MpiWorld(int& argc, char**& argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &share_.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &share_.ranks);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &on_this_machine_);
    MPI_Comm_free(&machine);
  }
  ~MpiWorld() override { MPI_Finalize(); }
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  Share share() const override { return share_; }
  int on_this_machine() const override { return on_this_machine_; }
  std::uint64_t bytes_sent() const override { return bytes_sent_; }

  void send(int to, std::string_view bytes) override {
    auto size = static_cast<std::uint64_t>(bytes.size());
    MPI_Send(&size, 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD);
    in_pieces(bytes.size(), [&](std::size_t begin, int count) {
      MPI_Send(bytes.data() + begin, count, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    });
    bytes_sent_ += sizeof size + size;
  }

  void receive(int from, std::string& bytes) override {
    std::uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    bytes.resize(static_cast<std::size_t>(size));
    in_pieces(bytes.size(), [&](std::size_t begin, int count) {
      MPI_Recv(bytes.data() + begin, count, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
  }

  void broadcast(std::string& bytes) override {
    auto size = static_cast<std::uint64_t>(bytes.size());
    MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    bytes.resize(static_cast<std::size_t>(size));
    in_pieces(bytes.size(), [&](std::size_t begin, int count) {
      MPI_Bcast(bytes.data() + begin, count, MPI_BYTE, 0, MPI_COMM_WORLD);
    });
    if (share_.rank == 0) bytes_sent_ += sizeof size + size;
  }

  [[noreturn]] void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::abort();
  }

 private:
  template <class Work>
  static void in_pieces(std::size_t size, const Work& work) {
    for (std::size_t begin = 0; begin < size; begin += at_once) {
      work(begin, static_cast<int>(std::min(at_once, size - begin)));
    }
  }

  Share share_;
  int on_this_machine_ = 1;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace

std::unique_ptr<World> start_mpi(int& argc, char**& argv) {
  if (!started_by_mpi()) return nullptr;
  return std::make_unique<MpiWorld>(argc, argv);
}

}  // namespace m3lak
