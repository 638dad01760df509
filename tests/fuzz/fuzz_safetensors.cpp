#include "core/files/safetensors.h"
#include "tests/fuzz/memory_file.h"

using namespace assay;

/// A weight file: refused, or every tensor can be read and fills its shape.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::MemoryFile bytes(fuzz::view(data, size));
    const auto file = SafetensorsFile::open(bytes.path());
    if (!file.ok()) {
        fuzz::checkError(file.error());
        return 0;
    }
    std::uint64_t total = 0;
    for (const auto& tensor : file->tensors()) {
        CHECK(tensorBytes(tensor.dtype, tensor.shape) == tensor.bytes(), "shape and range differ");
        CHECK(file->find(tensor.name) == &tensor, "a tensor cannot be found by its name");
        total += tensor.bytes();
        CHECK(total < size, "more data than the file has");
        std::vector<std::byte> content(tensor.bytes());
        CHECK(file->read(tensor, content).ok(), "a tensor of an accepted file cannot be read");
    }
    return 0;
}
