#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace assay::jinja {

/// What ends a rendering. Thrown inside this folder only; `Template` makes a Result of it.
class Fault : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// The template's own `raise_exception`.
class RaisedByTemplate : public Fault
{
public:
    using Fault::Fault;
};

class Value;
struct MacroDefinition;

struct List
{
    std::vector<Value> items;
};

/// Keys in the order in which they came.
struct Dict
{
    std::vector<std::pair<std::string, Value>> items;

    Value* find(std::string_view key);
    const Value* find(std::string_view key) const;
    void set(std::string_view key, Value value);
};

/// A name or attribute that is not there; prints as nothing, and whoever looks into it is told its name.
struct Undefined
{
    std::string what;
};

struct None
{};

/// A value of a template. Lists and dictionaries are shared as in Python; only namespaces are ever changed.
class Value
{
public:
    using ListPtr = std::shared_ptr<const List>;
    using DictPtr = std::shared_ptr<const Dict>;
    using NamespacePtr = std::shared_ptr<Dict>;
    using MacroPtr = std::shared_ptr<const MacroDefinition>;
    using State = std::variant<Undefined, None, bool, std::int64_t, double, std::string, ListPtr, DictPtr,
                               NamespacePtr, MacroPtr>;

    Value() = default;
    Value(State state)
        : m_state(std::move(state))
    {}
    static Value undefined(std::string what) { return Value(State(Undefined{std::move(what)})); }
    static Value none() { return Value(State(None{})); }
    static Value of(bool value) { return Value(State(value)); }
    static Value of(std::int64_t value) { return Value(State(value)); }
    static Value of(double value) { return Value(State(value)); }
    static Value of(std::string value) { return Value(State(std::move(value))); }
    static Value of(std::string_view value) { return of(std::string(value)); }
    static Value of(const char* value) { return of(std::string(value)); }
    static Value list(std::vector<Value> items)
    {
        return Value(State(std::make_shared<const List>(List{std::move(items)})));
    }
    static Value dict(Dict dict) { return Value(State(std::make_shared<const Dict>(std::move(dict)))); }
    static Value fromJson(const nlohmann::ordered_json& json);

    const State& state() const { return m_state; }
    template <typename T>
    const T* as() const
    {
        return std::get_if<T>(&m_state);
    }
    bool isUndefined() const { return as<Undefined>() != nullptr; }
    bool isNone() const { return as<None>() != nullptr; }
    const std::string* text() const { return as<std::string>(); }
    const std::vector<Value>* items() const;
    /// Of a dictionary or a namespace; null for everything else.
    const Dict* mapping() const;
    /// An integer or a truth value, which counts as 0 or 1.
    std::optional<std::int64_t> integer() const;
    std::optional<double> number() const;

    bool truth() const;
    /// As Python's str() writes it.
    std::string print() const;
    /// As Python's repr() writes it.
    std::string represent() const;
    /// "str", "list", ...: for messages.
    std::string_view typeName() const;
    bool operator==(const Value& other) const;

private:
    State m_state;
};

/// Less than, for numbers and for texts. Throws Fault for anything else.
bool lessThan(const Value& left, const Value& right);
/// As json.dumps(ensure_ascii=False) of Python writes it. Throws Fault for what is no JSON.
std::string toJson(const Value& value, std::optional<std::int64_t> indent, bool sortKeys,
                   std::size_t depth = 0);
/// What a loop over the value sees. Throws Fault where Python would.
std::vector<Value> elementsOf(const Value& value);

} // namespace assay::jinja
