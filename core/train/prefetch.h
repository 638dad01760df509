#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace assay {

/// One producer thread and a bounded queue: the next micro-batches are laid out while the current one
/// computes. Items come out in the order they were produced, so prefetching never changes what a run
/// computes.
template <typename T>
class Prefetch
{
public:
    /// `produce(index)` makes item 0, 1, 2, ... on the producer thread and ends by returning nothing.
    Prefetch(std::size_t capacity, std::function<std::optional<T>(std::int64_t)> produce)
        : m_capacity(capacity)
        , m_produce(std::move(produce))
        , m_thread([this](const std::stop_token& stop) { run(stop); })
    {}

    /// Waits for the next item; nothing at the end. Rethrows what the producer threw.
    std::optional<T> next()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return !m_items.empty() || m_done; });
        if (m_items.empty()) {
            if (m_failure)
                std::rethrow_exception(m_failure);
            return std::nullopt;
        }
        std::optional<T> item = std::move(m_items.front());
        m_items.pop_front();
        m_changed.notify_all();
        return item;
    }

private:
    void run(const std::stop_token& stop)
    {
        std::exception_ptr failure;
        try {
            for (std::int64_t index = 0; !stop.stop_requested(); ++index) {
                auto item = m_produce(index);
                if (!item)
                    break;
                std::unique_lock lock(m_mutex);
                if (!m_changed.wait(lock, stop, [&] { return m_items.size() < m_capacity; }))
                    break;
                m_items.push_back(std::move(*item));
                m_changed.notify_all();
            }
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(m_mutex);
        m_failure = failure;
        m_done = true;
        m_changed.notify_all();
    }

    std::size_t m_capacity;
    std::function<std::optional<T>(std::int64_t)> m_produce;
    std::mutex m_mutex;
    std::condition_variable_any m_changed; ///< knows stop tokens: a stop cannot slip in before a wait
    std::deque<T> m_items;
    bool m_done = false;
    std::exception_ptr m_failure;
    std::jthread m_thread; ///< last: starts when everything above exists, joins first
};

} // namespace assay
