# Warnings and hardening for our own code; third-party headers come in as SYSTEM and stay silent.
add_library(project_flags INTERFACE)
target_include_directories(project_flags INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(project_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wconversion -Wno-sign-conversion -Werror
    -fstack-protector-strong)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 reports these inside its own library headers at -O2.
    target_compile_options(project_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-maybe-uninitialized
        -Wno-missing-field-initializers -Wno-dangling-reference)
else()
    target_compile_options(project_flags INTERFACE -Wno-missing-field-initializers -Wno-implicit-int-float-conversion)
endif()
target_compile_definitions(project_flags INTERFACE _GLIBCXX_ASSERTIONS
    ASSAY_VERSION="${PROJECT_VERSION}")
target_link_options(project_flags INTERFACE -Wl,-z,relro,-z,now)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_definitions(project_flags INTERFACE _FORTIFY_SOURCE=2)
endif()
if(ASSAY_SANITIZE)
    target_compile_options(project_flags INTERFACE -fsanitize=${ASSAY_SANITIZE} -fno-omit-frame-pointer -g)
    target_link_options(project_flags INTERFACE -fsanitize=${ASSAY_SANITIZE})
endif()

# Debian names differ: CMake files exist for most packages, but not under one naming scheme everywhere.
function(assay_library name)
    add_library(${name} STATIC)
    target_link_libraries(${name} PUBLIC project_flags)
endfunction()
