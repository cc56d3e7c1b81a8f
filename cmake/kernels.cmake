# The kernel files: compiled for several instruction sets of this CPU, and embedded as text for run-time compilers.

# gcc's generic tuning for v3 and v4 refuses gathers and then does not vectorise the lane loop at all.
set(CRP_KERNEL_FLAGS -O3 -fopenmp -ffp-contract=off -fno-math-errno -fno-trapping-math)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(CRP_ISAS v2 v3 v4)
  set(CRP_ISA_FLAGS_v2 -march=x86-64-v2)
  set(CRP_ISA_FLAGS_v3 -march=x86-64-v3 -mtune=haswell)
  if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
    set(CRP_ISA_FLAGS_v4 -march=x86-64-v4 -mtune=skylake-avx512)
  else()
    set(CRP_ISA_FLAGS_v4 -march=x86-64-v4 -mtune=skylake-avx512 -mprefer-vector-width=512)
  endif()
else()
  set(CRP_ISAS generic)
  set(CRP_ISA_FLAGS_generic "")
endif()

set(CRP_KERNEL_OBJECTS)
file(GLOB CRP_CPU_ENTRIES CONFIGURE_DEPENDS kernel/entry/*_cpu.c)
if(CRP_CPU_ENTRIES)
  foreach(isa ${CRP_ISAS})
    add_library(crp_kernels_${isa} OBJECT ${CRP_CPU_ENTRIES})
    target_include_directories(crp_kernels_${isa} PRIVATE ${CMAKE_SOURCE_DIR}/kernel)
    target_compile_options(crp_kernels_${isa} PRIVATE ${CRP_WARNINGS} ${CRP_KERNEL_FLAGS} ${CRP_ISA_FLAGS_${isa}})
    target_compile_definitions(crp_kernels_${isa} PRIVATE CK_ISA=${isa})
    list(APPEND CRP_KERNEL_OBJECTS $<TARGET_OBJECTS:crp_kernels_${isa}>)
  endforeach()
endif()

# Text of every kernel header, for NVRTC and OpenCL.
file(GLOB_RECURSE CRP_KERNEL_TEXTS CONFIGURE_DEPENDS kernel/*.h)
set(CRP_EMBEDDED_SOURCES)
if(EXISTS ${CMAKE_SOURCE_DIR}/cmake/embed.cmake)
  set(CRP_EMBEDDED ${CMAKE_BINARY_DIR}/generated/kernel_embedded.c)
  add_custom_command(OUTPUT ${CRP_EMBEDDED}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR}/kernel -DOUTPUT=${CRP_EMBEDDED} "-DFILES=${CRP_KERNEL_TEXTS}"
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${CRP_KERNEL_TEXTS} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
  set(CRP_EMBEDDED_SOURCES ${CRP_EMBEDDED})
endif()
