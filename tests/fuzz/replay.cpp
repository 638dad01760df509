#include "core/base/durable_file.h"
#include "core/base/random.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr unsigned kSecondsPerInput = 10;
constexpr rlim_t kAddressBytes = rlim_t{2} << 30;
constexpr std::uint64_t kMutationsPerKind = 170;
constexpr std::size_t kPageBytes = 512;

enum class Mutation { OneBit, SixteenBits, Truncate, DuplicateBlock, SwapBlocks, ZeroPage };
constexpr Mutation kMutations[] = {Mutation::OneBit,         Mutation::SixteenBits, Mutation::Truncate,
                                   Mutation::DuplicateBlock, Mutation::SwapBlocks,  Mutation::ZeroPage};

std::string mutate(std::string bytes, Mutation mutation, RandomStream& random)
{
    if (bytes.empty())
        return bytes;
    const auto place = [&] { return static_cast<std::size_t>(random.below(bytes.size())); };
    const auto flip = [&] { bytes[place()] ^= static_cast<char>(1 << random.below(8)); };
    switch (mutation) {
    case Mutation::OneBit:
        flip();
        break;
    case Mutation::SixteenBits:
        for (int i = 0; i < 16; ++i)
            flip();
        break;
    case Mutation::Truncate:
        bytes.resize(place());
        break;
    case Mutation::DuplicateBlock: {
        const auto begin = place();
        bytes.insert(place(), bytes.substr(begin, 1 + random.below(kPageBytes)));
        break;
    }
    case Mutation::SwapBlocks: {
        const auto size = 1 + random.below(std::max<std::size_t>(1, bytes.size() / 4));
        const auto first = random.below(bytes.size() - size + 1);
        const auto second = random.below(bytes.size() - size + 1);
        for (std::size_t i = 0; i < size; ++i)
            std::swap(bytes[first + i], bytes[second + i]);
        break;
    }
    case Mutation::ZeroPage: {
        const auto begin = place();
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                    std::min(kPageBytes, bytes.size() - begin), '\0');
        break;
    }
    }
    return bytes;
}

/// A hang ends by the alarm and a crash by its signal: either fails the test.
void run(const std::string& bytes)
{
    ::alarm(kSecondsPerInput);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ::alarm(0);
}

} // namespace

/// Runs one fuzz target over its corpus and over seeded mutations of it, with the compiler and flags of every
/// other test.
int main(int count, char** arguments)
{
    if (count != 2) {
        std::fprintf(stderr, "usage: %s CORPUS-FOLDER\n", arguments[0]);
        return 2;
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const rlimit limit{kAddressBytes, kAddressBytes};
    ::setrlimit(RLIMIT_AS, &limit);
#endif
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(arguments[1]))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<std::string> corpus;
    for (const auto& file : files) {
        auto bytes = readFile(file);
        if (!bytes.ok()) {
            std::fprintf(stderr, "%s\n", bytes.error().text().c_str());
            return 1;
        }
        std::printf("%s\n", file.filename().c_str());
        std::fflush(stdout);
        run(*bytes);
        corpus.push_back(std::move(bytes).value());
    }
    if (corpus.empty()) {
        std::fprintf(stderr, "%s: no corpus\n", arguments[1]);
        return 1;
    }
    for (const auto mutation : kMutations)
        for (std::uint64_t seed = 0; seed < kMutationsPerKind; ++seed) {
            RandomStream random(seed, "mutation");
            const auto file = random.below(corpus.size());
            std::printf("mutation %d of %s, seed %llu\n", static_cast<int>(mutation),
                        files[file].filename().c_str(), static_cast<unsigned long long>(seed));
            std::fflush(stdout);
            run(mutate(corpus[file], mutation, random));
        }
    std::printf("%zu files and %zu mutations\n", corpus.size(), std::size(kMutations) * kMutationsPerKind);
    return 0;
}
