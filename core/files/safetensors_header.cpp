#include "core/files/safetensors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace assay {

namespace {

constexpr std::size_t kMaximumTensors = 1'000'000;
constexpr std::size_t kMaximumNameBytes = 4096;
constexpr std::size_t kMaximumDimensions = 64;
constexpr std::string_view kMetadataKey = "__metadata__";

Error headerError(std::string message, const std::string& tensor)
{
    return {ErrorCode::BadModel, std::move(message), tensor.empty() ? "" : "tensor " + tensor, ""};
}

/// Takes the header's events one by one, so that depth, duplicate keys and number kinds are seen and nothing
/// is built from a hostile header but what the format knows.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json>
{
public:
    SafetensorsHeader header;
    std::optional<Error> error;

    bool null() override { return refuse("null is not allowed here"); }
    bool boolean(bool) override { return refuse("true and false are not allowed here"); }
    bool number_float(double, const std::string& text) override
    {
        return refuse(text + " is not a whole number");
    }
    bool binary(nlohmann::json::binary_t&) override { return refuse("binary data are not JSON"); }
    bool number_integer(std::int64_t value) override
    {
        return refuse("negative number " + std::to_string(value));
    }

    bool number_unsigned(std::uint64_t value) override
    {
        if (m_state == State::Shape) {
            if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                return refuse("dimension " + std::to_string(value) + " is too large");
            if (m_current.shape.size() == kMaximumDimensions)
                return refuse("more than " + std::to_string(kMaximumDimensions) + " dimensions");
            m_current.shape.push_back(static_cast<std::int64_t>(value));
            return true;
        }
        if (m_state == State::Offsets) {
            if (m_offsets == 2)
                return refuse("data_offsets has more than two numbers");
            (m_offsets++ == 0 ? m_current.begin : m_current.end) = value;
            return true;
        }
        return refuse("a number is not allowed here");
    }

    bool string(std::string& text) override
    {
        if (m_state == State::Metadata) {
            header.metadata[m_key] = text;
            return true;
        }
        if (m_state == State::Tensor && m_key == "dtype") {
            const auto dtype = dtypeFromName(text);
            if (!dtype)
                return refuse("unknown dtype " + text.substr(0, 40));
            m_current.dtype = *dtype;
            return true;
        }
        return refuse("a text is not allowed here");
    }

    bool start_object(std::size_t) override
    {
        if (m_state == State::Start) {
            m_state = State::Root;
            return true;
        }
        if (m_state != State::Root)
            return refuse("nested deeper than the format allows");
        m_state = m_name == kMetadataKey ? State::Metadata : State::Tensor;
        m_current = {};
        m_current.name = m_name;
        m_offsets = 0;
        m_fields.clear();
        return true;
    }

    bool end_object() override
    {
        if (m_state == State::Root) {
            m_state = State::End;
            return true;
        }
        if (m_state == State::Tensor) {
            if (m_fields.size() != 3)
                return refuse("dtype, shape or data_offsets is missing");
            header.tensors.push_back(m_current);
        }
        m_state = State::Root;
        return true;
    }

    bool start_array(std::size_t) override
    {
        if (m_state != State::Tensor || (m_key != "shape" && m_key != "data_offsets"))
            return refuse("a list is not allowed here");
        m_state = m_key == "shape" ? State::Shape : State::Offsets;
        return true;
    }

    bool end_array() override
    {
        if (m_state == State::Offsets && m_offsets != 2)
            return refuse("data_offsets needs two numbers");
        m_state = State::Tensor;
        return true;
    }

    bool key(std::string& text) override
    {
        if (m_state == State::Root) {
            m_name = text;
            if (text.size() > kMaximumNameBytes)
                return refuse("a tensor name is longer than " + std::to_string(kMaximumNameBytes) + " bytes");
            if (!m_names.insert(text).second)
                return refuse("the name stands twice in the header");
            if (m_names.size() > kMaximumTensors)
                return refuse("more than " + std::to_string(kMaximumTensors) + " tensors");
            return true;
        }
        m_key = text;
        if (!m_fields.insert(text).second)
            return refuse("the key " + text.substr(0, 40) + " stands twice");
        if (m_state == State::Tensor && text != "dtype" && text != "shape" && text != "data_offsets")
            return refuse("unknown key " + text.substr(0, 40));
        return true;
    }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::json::exception& exception) override
    {
        if (error)
            return false;
        // Only the reason: the library's text repeats its own error numbers.
        std::string reason = exception.what();
        if (const auto start = reason.rfind("; last read"); start != std::string::npos)
            reason.resize(start);
        if (const auto colon = reason.find(": "); colon != std::string::npos)
            reason.erase(0, colon + 2);
        error = headerError(
            "the header is not valid JSON at byte " + std::to_string(position) + ": " + reason, "");
        return false;
    }

private:
    enum class State { Start, Root, Tensor, Shape, Offsets, Metadata, End };

    bool refuse(std::string reason)
    {
        error = headerError(std::move(reason), m_name.substr(0, 200));
        return false;
    }

    State m_state = State::Start;
    std::string m_name;
    std::string m_key;
    std::set<std::string> m_names;
    std::set<std::string> m_fields;
    TensorInfo m_current;
    int m_offsets = 0;
};

/// Ranges must tile the data section: no hole, no overlap, nothing behind the last tensor.
Status checkRanges(std::vector<TensorInfo>& tensors, std::uint64_t dataBytes)
{
    std::stable_sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t position = 0;
    for (const auto& tensor : tensors) {
        if (tensor.end < tensor.begin)
            return headerError("the data end before they begin", tensor.name);
        if (tensor.begin < position)
            return headerError("the data overlap those of another tensor", tensor.name);
        if (tensor.begin > position)
            return headerError("there are bytes before the data that belong to no tensor", tensor.name);
        if (tensor.end > dataBytes)
            return headerError("the file ends before the data (" + std::to_string(dataBytes) +
                                   " bytes of data, " + std::to_string(tensor.end) + " promised)",
                               tensor.name);
        const auto bytes = tensorBytes(tensor.dtype, tensor.shape);
        if (!bytes)
            return headerError("shape " + shapeText(tensor.shape) +
                                   " is too large or does not fill whole bytes",
                               tensor.name);
        if (*bytes != tensor.bytes())
            return headerError("shape " + shapeText(tensor.shape) + " of " +
                                   std::string(dtypeName(tensor.dtype)) + " needs " + std::to_string(*bytes) +
                                   " bytes, the range has " + std::to_string(tensor.bytes()),
                               tensor.name);
        position = tensor.end;
    }
    if (position != dataBytes)
        return headerError(std::to_string(dataBytes - position) + " bytes behind the last tensor", "");
    return {};
}

} // namespace

Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view json, std::uint64_t dataBytes)
{
    if (json.empty() || json.front() != '{')
        return headerError("the header does not begin with {", "");
    if (const auto last = json.find_last_not_of(' '); json[last] != '}')
        return headerError("the header does not end with } and blanks", "");
    HeaderHandler handler;
    const bool parsed = nlohmann::json::sax_parse(json.begin(), json.end(), &handler);
    if (handler.error)
        return *handler.error;
    if (!parsed)
        return headerError("the header is not valid JSON", "");
    TRY_STATUS(checkRanges(handler.header.tensors, dataBytes));
    return std::move(handler.header);
}

} // namespace assay
