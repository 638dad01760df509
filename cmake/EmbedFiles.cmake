# Compiles text or binary files into the program, so that it needs nothing beside it at run time.
# assay_embed(target OUTPUT name.cpp FUNCTION embeddedSchema FILES a.sql b.sql) defines
#   std::span<const assay::EmbeddedFile> assay::embeddedSchema();
function(assay_embed target)
    cmake_parse_arguments(EMBED "" "FUNCTION" "FILES" ${ARGN})
    set(output "${CMAKE_CURRENT_BINARY_DIR}/${EMBED_FUNCTION}.cpp")
    add_custom_command(OUTPUT "${output}"
        COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DFUNCTION=${EMBED_FUNCTION}" "-DFILES=${EMBED_FILES}"
            -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
        DEPENDS ${EMBED_FILES} "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
        VERBATIM)
    target_sources(${target} PRIVATE "${output}")
endfunction()
