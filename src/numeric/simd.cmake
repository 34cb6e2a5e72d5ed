# Kernels that are compiled once for each instruction set and chosen at run time. No header with
# inline functions may be in them: the linker could keep a copy that other machines cannot run.
set(kernels src/numeric/sincos_sse2.cpp src/numeric/sincos_avx2.cpp src/numeric/sincos_avx512.cpp)
set_source_files_properties(${kernels} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(src/numeric/sincos_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
  set_source_files_properties(src/numeric/sincos_avx512.cpp PROPERTIES COMPILE_OPTIONS "-mavx512f")
endif()
