# Finds libtorch and defines LibTorch::LibTorch.
#
# Torch's own TorchConfig.cmake refuses a CUDA build on a machine without the CUDA toolkit, although linking needs none
# of it; so the libraries are named directly here. Where it looks: the cache variable ASSAY_LIBTORCH, the environment
# variable of the same name, then .deps/libtorch (filled by scripts/dependencies.sh). The folder is the one that holds
# include/ and lib/, for instance site-packages/torch.
#
# Sets LibTorch_FOUND, LibTorch_VERSION, LibTorch_ROOT, LibTorch_LIBRARY_DIR (for the RPATH), LibTorch_HAS_CUDA.

set(ASSAY_LIBTORCH "" CACHE PATH "Folder of libtorch (holds include/ and lib/); empty: .deps/libtorch")

get_filename_component(_libtorch_deps "${CMAKE_CURRENT_LIST_DIR}/../.deps/libtorch" ABSOLUTE)
set(LibTorch_ROOT "${_libtorch_deps}")
if(DEFINED ENV{ASSAY_LIBTORCH} AND NOT "$ENV{ASSAY_LIBTORCH}" STREQUAL "")
    set(LibTorch_ROOT "$ENV{ASSAY_LIBTORCH}")
endif()
if(ASSAY_LIBTORCH)
    set(LibTorch_ROOT "${ASSAY_LIBTORCH}")
endif()
set(LibTorch_INCLUDE_DIR "${LibTorch_ROOT}/include")
set(LibTorch_LIBRARY_DIR "${LibTorch_ROOT}/lib")

set(LibTorch_VERSION "")
if(EXISTS "${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h")
    set(_libtorch_version_header "${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h")
else()
    set(_libtorch_version_header "${LibTorch_INCLUDE_DIR}/torch/csrc/api/include/torch/version.h")
endif()
if(EXISTS "${_libtorch_version_header}")
    foreach(_libtorch_part MAJOR MINOR PATCH)
        file(STRINGS "${_libtorch_version_header}" _libtorch_version_line LIMIT_COUNT 1
            REGEX "^#define TORCH_VERSION_${_libtorch_part} [0-9]+")
        string(REGEX REPLACE ".* ([0-9]+)$" "\\1" _libtorch_version_${_libtorch_part} "${_libtorch_version_line}")
    endforeach()
    set(LibTorch_VERSION
        "${_libtorch_version_MAJOR}.${_libtorch_version_MINOR}.${_libtorch_version_PATCH}")
endif()

include(FindPackageHandleStandardArgs)
find_file(LibTorch_CPU_LIBRARY libtorch_cpu.so PATHS "${LibTorch_LIBRARY_DIR}" NO_DEFAULT_PATH NO_CACHE)
find_package_handle_standard_args(LibTorch
    REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_VERSION
    VERSION_VAR LibTorch_VERSION
    REASON_FAILURE_MESSAGE "looked in ${LibTorch_ROOT}. Run scripts/dependencies.sh, or point ASSAY_LIBTORCH to it")

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
    # A library built with the old string ABI cannot be linked with Qt and the other libraries of the distribution.
    file(STRINGS "${LibTorch_LIBRARY_DIR}/libc10.so" _libtorch_old_abi LIMIT_COUNT 1
        REGEX "torchCheckFailEPKcS[0-9]_jRKSs")
    if(_libtorch_old_abi)
        message(FATAL_ERROR "libtorch in ${LibTorch_ROOT} was built with _GLIBCXX_USE_CXX11_ABI=0 and cannot be "
            "linked with this system's libraries. Take a build with the C++11 ABI (2.7 and newer are).")
    endif()

    set(LibTorch_HAS_CUDA OFF)
    set(_libtorch_cuda "")
    if(EXISTS "${LibTorch_LIBRARY_DIR}/libtorch_cuda.so" AND EXISTS "${LibTorch_LIBRARY_DIR}/libc10_cuda.so")
        set(LibTorch_HAS_CUDA ON)
        # Nothing in our code names a symbol of these two; without --no-as-needed the linker would drop them, and
        # with them the registration of every CUDA kernel.
        set(_libtorch_cuda "${LibTorch_LIBRARY_DIR}/libtorch_cuda.so" "${LibTorch_LIBRARY_DIR}/libc10_cuda.so")
    endif()

    add_library(LibTorch::LibTorch INTERFACE IMPORTED)
    set_target_properties(LibTorch::LibTorch PROPERTIES
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES
            "${LibTorch_INCLUDE_DIR};${LibTorch_INCLUDE_DIR}/torch/csrc/api/include"
        INTERFACE_INCLUDE_DIRECTORIES
            "${LibTorch_INCLUDE_DIR};${LibTorch_INCLUDE_DIR}/torch/csrc/api/include"
        INTERFACE_COMPILE_DEFINITIONS "_GLIBCXX_USE_CXX11_ABI=1")
    # --no-as-needed must enclose the libraries, and CMake may reorder single flags: one LINKER: group, by full path.
    string(REPLACE ";" "," _libtorch_cuda_flags "${_libtorch_cuda}")
    set(_libtorch_group "-Wl,--push-state,--no-as-needed,${LibTorch_LIBRARY_DIR}/libtorch.so")
    string(APPEND _libtorch_group ",${LibTorch_LIBRARY_DIR}/libtorch_cpu.so,${LibTorch_LIBRARY_DIR}/libc10.so")
    if(_libtorch_cuda_flags)
        string(APPEND _libtorch_group ",${_libtorch_cuda_flags}")
    endif()
    string(APPEND _libtorch_group ",--pop-state")
    # The RPATH lets the program find libtorch where it lies; rpath-link lets the linker resolve what libtorch itself
    # needs (its own libgomp, and the NVIDIA libraries of a CUDA build, which lie beside it and are found at run time).
    target_link_libraries(LibTorch::LibTorch INTERFACE "${_libtorch_group}")
    target_link_options(LibTorch::LibTorch INTERFACE
        "-Wl,-rpath,${LibTorch_LIBRARY_DIR}" "-Wl,-rpath-link,${LibTorch_LIBRARY_DIR}"
        "-Wl,--allow-shlib-undefined")
endif()

mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_LIBRARY_DIR)
