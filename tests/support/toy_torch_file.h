#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace assay::tests {

/// A zip container of stored records, as torch.save writes it, without checksums.
inline std::string toyZip(const std::vector<std::pair<std::string, std::string>>& records)
{
    const auto number = [](std::uint64_t value, int bytes) {
        std::string text;
        for (int i = 0; i < bytes; ++i)
            text += static_cast<char>(value >> (8 * i) & 0xff);
        return text;
    };
    std::string file, directory;
    for (const auto& [name, content] : records) {
        const auto sizes = number(0, 4) + number(content.size(), 4) + number(content.size(), 4);
        const auto begin = file.size();
        file += number(0x04034b50, 4) + number(0, 10) + sizes + number(name.size(), 2) + number(0, 2) + name +
                content;
        directory += number(0x02014b50, 4) + number(0, 12) + sizes + number(name.size(), 2) + number(0, 12) +
                     number(begin, 4) + name;
    }
    const auto begin = file.size();
    return file + directory + number(0x06054b50, 4) + number(0, 4) + number(records.size(), 2) +
           number(records.size(), 2) + number(directory.size(), 4) + number(begin, 4) + number(0, 2);
}

/// The words of a pickle of protocol 2.
namespace pickle {

inline std::string text(const std::string& value)
{
    return "X" + std::string{static_cast<char>(value.size()), 0, 0, 0} + value;
}
inline std::string number(std::int32_t value)
{
    std::string bytes(4, '\0');
    std::memcpy(bytes.data(), &value, 4);
    return "J" + bytes;
}
inline std::string tuple(const std::vector<std::string>& items)
{
    std::string result = "(";
    for (const auto& item : items)
        result += item;
    return result + "t";
}
inline std::string numbers(const std::vector<std::int32_t>& values)
{
    std::vector<std::string> items;
    for (const auto value : values)
        items.push_back(number(value));
    return tuple(items);
}
inline std::string name(const std::string& module, const std::string& what)
{
    return "c" + module + "\n" + what + "\n";
}
inline std::string call(const std::string& function, const std::string& arguments)
{
    return function + arguments + "R";
}

} // namespace pickle

/// A view of floats in one storage of a torch file.
struct ToyTensor
{
    std::string name = "weight";
    std::int32_t offset = 0;
    std::vector<std::int32_t> shape{2, 3}, strides{3, 1};
    std::string storageType = "FloatStorage", record = "0";
    std::int32_t promised = 6; ///< elements of the storage, by the pickle
};

inline std::string toyPickle(const std::vector<ToyTensor>& tensors)
{
    using namespace pickle;
    std::string items;
    for (const auto& tensor : tensors) {
        const auto storage = tuple({text("storage"), name("torch", tensor.storageType), text(tensor.record),
                                    text("cpu"), number(tensor.promised)}) +
                             "Q";
        items += text(tensor.name) +
                 call(name("torch._utils", "_rebuild_tensor_v2"),
                      tuple({storage, number(tensor.offset), numbers(tensor.shape), numbers(tensor.strides),
                             "\x89", call(name("collections", "OrderedDict"), ")")}));
    }
    return "\x80\x02}(" + items + "u.";
}

/// The storage `0` has the floats 0 to 5.
inline std::string toyTorchFile(const std::string& pickled, const std::string& byteOrder = "little")
{
    std::string storage(24, '\0');
    for (int i = 0; i < 6; ++i) {
        const auto value = static_cast<float>(i);
        std::memcpy(storage.data() + 4 * i, &value, 4);
    }
    return toyZip(
        {{"archive/data.pkl", pickled}, {"archive/byteorder", byteOrder}, {"archive/data/0", storage}});
}

} // namespace assay::tests
