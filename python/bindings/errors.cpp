#include "bindings.h"
#include "m3lak/error.h"

namespace m3lak::python {

void bind_errors(nanobind::module_&) {
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const BadUsage& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const BadData& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const TooLarge& error) {
      PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const Stopped& error) {
      PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
    } catch (const Error& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    }
  });
}

}  // namespace m3lak::python
