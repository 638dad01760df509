// Bytes per second of `encode` on the lines of a file, to be compared with another tokenizer's in the same
// minute: bench_tokenizer TOKENIZER LINES [threads]. A line stands for one text, with \n, \r and \\ for what
// they name.
#include "core/base/durable_file.h"
#include "core/text/tokenizer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

using namespace assay;

namespace {

std::vector<std::string> textsOf(std::string_view file)
{
    std::vector<std::string> texts(1);
    for (std::size_t i = 0; i < file.size(); ++i) {
        if (file[i] == '\n') {
            texts.emplace_back();
        } else if (file[i] == '\\' && i + 1 < file.size()) {
            const char next = file[++i];
            texts.back() += next == 'n' ? '\n' : next == 'r' ? '\r' : next;
        } else {
            texts.back() += file[i];
        }
    }
    return texts;
}

struct Encoded
{
    std::vector<std::vector<TokenId>> ids;
    double seconds = 0.0;
};

Encoded encodeAll(const Tokenizer& tokenizer, const std::vector<std::string>& texts, std::size_t threads)
{
    Encoded encoded;
    encoded.ids.resize(texts.size());
    std::atomic<std::size_t> next = 0;
    const auto begin = std::chrono::steady_clock::now();
    {
        std::vector<std::jthread> workers;
        for (std::size_t i = 0; i < threads; ++i)
            workers.emplace_back([&] {
                for (auto at = next++; at < texts.size(); at = next++)
                    encoded.ids[at] = tokenizer.encode(texts[at]);
            });
    }
    encoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return encoded;
}

/// The same of all ids of all texts as tests/peers/tokenizer_speed.py prints.
std::uint64_t checksumOf(const Encoded& encoded)
{
    std::uint64_t sum = 0;
    for (const auto& ids : encoded.ids)
        for (const auto id : ids)
            sum = (sum * 31 + static_cast<std::uint64_t>(id) + 1) % 72'057'594'037'927'931ULL;
    return sum;
}

} // namespace

int main(int count, char** arguments)
{
    const std::vector<std::string> words(arguments, arguments + count);
    const auto tokenizer = openTokenizer(words.at(1));
    const auto file = readFile(words.at(2), std::uintmax_t{1} << 30);
    if (!tokenizer || !file)
        return 1;
    const auto texts = textsOf(*file);
    const auto threads = count > 3 ? std::stoul(words.at(3)) : 1UL;
    auto best = encodeAll(**tokenizer, texts, threads);
    const double first = best.seconds;
    for (int i = 0; i < 4; ++i)
        if (auto again = encodeAll(**tokenizer, texts, threads); again.seconds < best.seconds)
            best = std::move(again);
    std::size_t bytes = 0, tokens = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        bytes += texts[i].size();
        tokens += best.ids[i].size();
    }
    std::printf("%lu threads: %.2f MB/s, first time %.2f; %zu tokens, checksum %llu\n", threads,
                static_cast<double>(bytes) / best.seconds / 1e6, static_cast<double>(bytes) / first / 1e6,
                tokens, static_cast<unsigned long long>(checksumOf(best)));
    return 0;
}
