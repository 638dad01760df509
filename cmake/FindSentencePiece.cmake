# Finds the static sentencepiece and defines SentencePiece::SentencePiece.
#
# Built by scripts/dependencies.sh from the source package (Debian 12's 0.1.97 has CVE-2026-1260), with hidden symbols, so
# that its bundled protobuf-lite cannot meet another protobuf in the same process. SentencePiece_TRAINER is the
# spm_train program of the same build.

get_filename_component(SentencePiece_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.deps/sentencepiece" ABSOLUTE)

find_path(SentencePiece_INCLUDE_DIR sentencepiece_processor.h
    PATHS "${SentencePiece_ROOT}/include" NO_DEFAULT_PATH NO_CACHE)
find_library(SentencePiece_LIBRARY NAMES libsentencepiece.a
    PATHS "${SentencePiece_ROOT}/lib" NO_DEFAULT_PATH NO_CACHE)
find_program(SentencePiece_TRAINER spm_train PATHS "${SentencePiece_ROOT}/bin" NO_DEFAULT_PATH NO_CACHE)

# SentencePiece_VERSION, for `assay doctor`.
set(SentencePiece_PKGCONFIG "${SentencePiece_ROOT}/lib/pkgconfig/sentencepiece.pc")
if(EXISTS "${SentencePiece_PKGCONFIG}")
    file(STRINGS "${SentencePiece_PKGCONFIG}" SentencePiece_VERSION REGEX "^Version: ")
    string(REPLACE "Version: " "" SentencePiece_VERSION "${SentencePiece_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SentencePiece
    REQUIRED_VARS SentencePiece_LIBRARY SentencePiece_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "looked in ${SentencePiece_ROOT}. Run scripts/dependencies.sh")

if(SentencePiece_FOUND AND NOT TARGET SentencePiece::SentencePiece)
    find_package(Threads REQUIRED)
    add_library(SentencePiece::SentencePiece STATIC IMPORTED)
    set_target_properties(SentencePiece::SentencePiece PROPERTIES
        IMPORTED_LOCATION "${SentencePiece_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${SentencePiece_INCLUDE_DIR}"
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${SentencePiece_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
