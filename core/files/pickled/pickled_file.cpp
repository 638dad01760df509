#include "core/files/pickled/pickled_file.h"

#include "core/files/pickled/pickle_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace assay {

namespace {

using Kind = PickleValue::Kind;

constexpr std::uint64_t kLargestPickle = 64'000'000; ///< bytes; a state dict of 1,000 tensors takes 0.1 MB
constexpr std::string_view kPickle = "/data.pkl";
constexpr std::string_view kZip = "PK\x03\x04";

std::optional<DType> storageType(std::string_view name)
{
    static const std::map<std::string_view, DType> kTypes{
        {"torch FloatStorage", DType::F32},     {"torch HalfStorage", DType::F16},
        {"torch BFloat16Storage", DType::BF16}, {"torch DoubleStorage", DType::F64},
        {"torch LongStorage", DType::I64},      {"torch IntStorage", DType::I32},
        {"torch ShortStorage", DType::I16},     {"torch CharStorage", DType::I8},
        {"torch ByteStorage", DType::U8},       {"torch BoolStorage", DType::Bool}};
    const auto found = kTypes.find(name);
    return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t elementBytes(DType dtype)
{
    return static_cast<std::uint64_t>(dtypeBits(dtype)) / 8;
}

/// Whether the elements lie without gaps, row by row.
bool inRowOrder(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides)
{
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] != 1 && strides[i] != expected)
            return false;
        expected *= shape[i];
    }
    return true;
}

/// Copies the elements of a strided view in row order; the innermost dimension in one piece where it lies so.
void gather(const std::byte* from, std::byte*& to, std::span<const std::int64_t> shape,
            std::span<const std::int64_t> strides, std::uint64_t size)
{
    const auto step = static_cast<std::uint64_t>(strides.empty() ? 1 : strides.front()) * size;
    if (shape.empty() || (shape.size() == 1 && step == size)) {
        const auto bytes = (shape.empty() ? 1 : static_cast<std::uint64_t>(shape.front())) * size;
        std::memcpy(to, from, bytes);
        to += bytes;
        return;
    }
    for (std::int64_t i = 0; i < shape.front(); ++i)
        gather(from + static_cast<std::uint64_t>(i) * step, to, shape.subspan(1), strides.subspan(1), size);
}

} // namespace

/// From the records and the values of the pickle to tensors.
class PickledFile::Reader
{
public:
    Reader(PickledFile& file, const std::map<std::string, FileRange, std::less<>>& records,
           std::string prefix, const PickleValues& values)
        : m_file(file)
        , m_records(records)
        , m_prefix(std::move(prefix))
        , m_values(values)
    {}

    Status read()
    {
        const auto& root = m_values[m_values.root];
        if (root.kind != Kind::Dictionary)
            return error("holds no dictionary of tensors", {});
        std::map<std::string, std::size_t> tensors;
        for (std::size_t i = 0; i + 1 < root.items.size(); i += 2) {
            const auto& key = m_values[root.items[i]];
            if (key.kind != Kind::Text)
                return error("names a tensor by something that is no text", {});
            tensors[key.text] = root.items[i + 1]; // given twice, the last one counts, as in Python
        }
        for (const auto& [name, place] : tensors)
            TRY_STATUS(add(name, place));
        return {};
    }

private:
    Error error(const std::string& message, const std::string& tensor) const
    {
        return {ErrorCode::BadModel, message,
                m_file.path().string() + (tensor.empty() ? std::string() : ", tensor " + tensor), ""};
    }

    /// The arguments of a call of `function`, or null.
    const std::vector<std::size_t>* argumentsOf(const PickleValue& value, std::string_view function) const
    {
        if (value.kind != Kind::Call || m_values[value.items[0]].text != function)
            return nullptr;
        return &m_values[value.items[1]].items;
    }

    Status add(const std::string& name, std::size_t place)
    {
        const auto* value = &m_values[place];
        if (const auto* parameter = argumentsOf(*value, "torch._utils _rebuild_parameter")) {
            if (parameter->empty())
                return error("a parameter without a tensor", name);
            value = &m_values[parameter->front()];
        }
        const auto* arguments = argumentsOf(*value, "torch._utils _rebuild_tensor_v2");
        if (!arguments || arguments->size() < 4)
            return error("is no tensor", name);
        TRY(const auto storage, storageOf(m_values[(*arguments)[0]], name));
        const auto& offset = m_values[(*arguments)[1]];
        if (offset.kind != Kind::Integer || offset.integer < 0)
            return error("its storage offset is no number from 0 on", name);
        TRY(auto shape, numbers(m_values[(*arguments)[2]], "size", name));
        TRY(auto strides, numbers(m_values[(*arguments)[3]], "stride", name));
        if (shape.size() != strides.size())
            return error(fmt::format("has {} sizes and {} strides", shape.size(), strides.size()), name);
        return addView(name, storage, static_cast<std::uint64_t>(offset.integer), std::move(shape),
                       std::move(strides));
    }

    struct Storage
    {
        DType dtype = DType::F32;
        FileRange bytes;
        std::uint64_t elements = 0;
    };

    /// ("storage", type, key, device, elements)
    Result<Storage> storageOf(const PickleValue& value, const std::string& name) const
    {
        const auto* id = value.kind == Kind::Storage ? &m_values[value.items[0]] : nullptr;
        if (!id || id->kind != Kind::Tuple || id->items.size() < 5)
            return error("has no storage", name);
        const auto item = [&](std::size_t i) -> const PickleValue& { return m_values[id->items[i]]; };
        const auto dtype = item(1).kind == Kind::Name ? storageType(item(1).text) : std::nullopt;
        if (!dtype || item(2).kind != Kind::Text || item(4).kind != Kind::Integer || item(4).integer < 0)
            return error("its storage is of an unknown kind", name);
        const auto record = m_prefix + "/data/" + item(2).text;
        const auto found = m_records.find(record);
        if (found == m_records.end())
            return error(fmt::format("the record data/{} of the container is missing", item(2).text), name);
        Storage storage{*dtype, found->second, found->second.size() / elementBytes(*dtype)};
        if (static_cast<std::uint64_t>(item(4).integer) > storage.elements)
            return error(fmt::format("its storage has {} elements, and {} are promised", storage.elements,
                                     item(4).integer),
                         name);
        return storage;
    }

    Result<std::vector<std::int64_t>> numbers(const PickleValue& value, const char* what,
                                              const std::string& name) const
    {
        std::vector<std::int64_t> result;
        if (value.kind != Kind::Tuple)
            return error(fmt::format("its {} is no list of numbers", what), name);
        for (const auto place : value.items) {
            const auto& number = m_values[place];
            if (number.kind != Kind::Integer)
                return error(fmt::format("its {} is no list of numbers", what), name);
            if (number.integer < 0)
                return error(fmt::format("has the {} {}", what, number.integer), name);
            result.push_back(number.integer);
        }
        return result;
    }

    Status addView(const std::string& name, const Storage& storage, std::uint64_t offset,
                   std::vector<std::int64_t> shape, std::vector<std::int64_t> strides)
    {
        const auto bytes = tensorBytes(storage.dtype, shape);
        if (!bytes)
            return error(
                fmt::format("the number of elements of {} does not fit in 64 bits", shapeText(shape)), name);
        const auto outside = [&] {
            return error(fmt::format("{} from element {} on reaches outside its storage of {} elements",
                                     shapeText(shape), offset, storage.elements),
                         name);
        };
        // More elements than the storage has would be one element many times: no weight is made like that.
        if (offset > storage.elements || *bytes / elementBytes(storage.dtype) > storage.elements)
            return outside();
        auto room = storage.elements - offset;
        for (std::size_t i = 0; *bytes > 0 && i < shape.size(); ++i) {
            const auto steps = static_cast<std::uint64_t>(shape[i] - 1);
            const auto stride = static_cast<std::uint64_t>(strides[i]);
            if (steps > 0 && stride > room / steps)
                return outside();
            room -= steps * stride;
        }
        if (*bytes > 0 && room == 0)
            return outside();
        m_file.m_tensors.push_back({name, storage.dtype, std::move(shape), m_bytes, m_bytes + *bytes});
        m_file.m_views.push_back({storage.bytes, offset, std::move(strides)});
        m_bytes += *bytes;
        return {};
    }

    PickledFile& m_file;
    const std::map<std::string, FileRange, std::less<>>& m_records;
    std::string m_prefix;
    const PickleValues& m_values;
    std::uint64_t m_bytes = 0;
};

Result<PickledFile> PickledFile::open(const std::filesystem::path& path)
{
    PickledFile file;
    TRY(file.m_file, RandomAccessFile::open(path));
    const auto fail = [&](ErrorCode code, const std::string& message, const std::string& remedy) {
        return Error{code, message, path.string(), remedy};
    };
    if (auto foreign = foreignFile(file.m_file))
        return *foreign;
    std::string start(std::min<std::uint64_t>(file.m_file.size(), kZip.size()), '\0');
    TRY_STATUS(file.m_file.read(0, std::as_writable_bytes(std::span(start))));
    if (start.starts_with('\x80'))
        return fail(ErrorCode::Unsupported,
                    "the file is of torch before 1.6, a row of pickles without a container; it is not read",
                    "Save it again with a newer torch, or as safetensors");
    if (start != kZip)
        return fail(ErrorCode::BadModel, "not a file of torch: no zip container",
                    "Fetch or copy the file again");
    TRY(const auto records, readZipIndex(file.m_file));
    const auto pickle = std::find_if(records.begin(), records.end(), [](const auto& record) {
        return record.first.ends_with(kPickle) &&
               record.first.find('/') == record.first.size() - kPickle.size();
    });
    if (pickle == records.end())
        return fail(ErrorCode::BadModel, "the container has no data.pkl", "Fetch or copy the file again");
    if (pickle->second.size() > kLargestPickle)
        return fail(ErrorCode::BadModel,
                    fmt::format("a pickle of {} bytes is no state dict", pickle->second.size()), "");
    const auto prefix = pickle->first.substr(0, pickle->first.size() - kPickle.size());
    if (const auto order = records.find(prefix + "/byteorder");
        order != records.end() && order->second.size() < 16) {
        std::string word(order->second.size(), '\0');
        TRY_STATUS(file.m_file.read(order->second.begin, std::as_writable_bytes(std::span(word))));
        if (word != "little")
            return fail(ErrorCode::Unsupported, "the file is from a big-endian machine",
                        "Save it as safetensors");
    }
    std::string bytes(pickle->second.size(), '\0');
    TRY_STATUS(file.m_file.read(pickle->second.begin, std::as_writable_bytes(std::span(bytes))));
    const auto values = readPickle(bytes);
    if (!values) {
        auto error = values.error();
        error.where = path.string();
        return error;
    }
    TRY_STATUS(Reader(file, records, prefix, *values).read());
    return file;
}

Status PickledFile::read(const TensorInfo& tensor, std::span<std::byte> out) const
{
    CHECK(out.size() == tensor.bytes(), "buffer and tensor differ in size");
    const auto found = std::lower_bound(m_tensors.begin(), m_tensors.end(), tensor.name,
                                        [](const auto& one, const auto& name) { return one.name < name; });
    CHECK(found != m_tensors.end() && found->name == tensor.name, "a tensor of this file");
    if (out.empty())
        return {};
    const auto& view = m_views[static_cast<std::size_t>(found - m_tensors.begin())];
    const auto size = elementBytes(tensor.dtype);
    std::uint64_t reach = 1; // elements from the first to the last one
    for (std::size_t i = 0; i < tensor.shape.size(); ++i)
        reach += static_cast<std::uint64_t>((tensor.shape[i] - 1) * view.strides[i]);
    const auto begin = view.storage.begin + view.offset * size;
    if (inRowOrder(tensor.shape, view.strides))
        return m_file.read(begin, out);
    std::vector<std::byte> piece(reach * size);
    TRY_STATUS(m_file.read(begin, piece));
    auto* to = out.data();
    gather(piece.data(), to, tensor.shape, view.strides, size);
    return {};
}

} // namespace assay
