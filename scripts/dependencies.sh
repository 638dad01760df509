#!/usr/bin/env bash
# Fills .deps/ with the libraries the distribution does not have: libtorch (out of Python's torch package; no Python
# runs inside Assay) and sentencepiece (static, from its source package). What is fetched or built is kept in a cache per
# user, keyed by version; .deps/ only holds links, so a second clone is ready in seconds. Each entry of the cache is
# made beside its place and renamed at the end: an interrupted run never leaves half a library.
#
#   scripts/dependencies.sh           fill what is missing
#   scripts/dependencies.sh --plan    only say what would be fetched or built
#
# ASSAY_LIBTORCH  folder of a libtorch to use (holds include/ and lib/)
# ASSAY_CACHE     the cache, default ${XDG_CACHE_HOME:-$HOME/.cache}/assay
# ASSAY_PYTHON    the python3 whose pip fetches, default the first python3 that has pip
set -euo pipefail

readonly torch_version=2.13.0
readonly torch_oldest=2.6
readonly sentencepiece_version=0.2.1
readonly sentencepiece_sha256=8138cec27c2f2282f4a34d9a016e3374cd40e5c6e9cb335063db66a0a3b71fad
readonly no_such_package=3
readonly torch_cpu_index=https://download.pytorch.org/whl/cpu

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${ASSAY_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/assay}
deps=$root/.deps

say() { printf 'assay: %s\n' "$*"; }
stop() { printf 'assay: %s\n' "$*" >&2; exit 1; }

# A folder that holds a libtorch we can compile against and link.
is_libtorch() { [[ -f $1/lib/libtorch_cpu.so && -f $1/lib/libc10.so && -d $1/include/ATen ]]; }

has_nvidia_gpu() { compgen -G '/dev/nvidia[0-9]*' >/dev/null || [[ -e /proc/driver/nvidia/version ]]; }

python=""
# The first python3 that can run pip; every download goes through it, with the user's own index settings.
find_python() {
    [[ -z $python ]] || return 0
    local candidate
    for candidate in ${ASSAY_PYTHON:-} python3 /usr/bin/python3; do
        if "$candidate" -m pip --version >/dev/null 2>&1; then python=$candidate; return 0; fi
    done
    stop "no python3 with pip was found, and it is what fetches libtorch. Install python3-pip, or set ASSAY_LIBTORCH" \
        "and ASSAY_PYTHON."
}

require_disk() { # megabytes, purpose
    local free_mb
    mkdir -p "$cache" || stop "the cache folder $cache cannot be made. Set ASSAY_CACHE to a folder you can write."
    free_mb=$(df -Pm "$cache" | awk 'NR == 2 { print $4 }')
    if (( free_mb < $1 )); then
        stop "$2 needs about $1 MB in $cache, but only $free_mb MB are free. Free some, or set ASSAY_CACHE."
    fi
}

# Makes $cache/$1 by running the function $2 in an empty folder beside it, then renames. One process at a time.
make_entry() {
    local key=$1 maker=$2 work
    [[ -d $cache/$key ]] && return 0
    mkdir -p "$cache" || stop "the cache folder $cache cannot be made. Set ASSAY_CACHE to a folder you can write."
    exec 9>"$cache/lock"
    if ! flock -n 9; then
        say "waiting for another set-up that fills $cache"
        flock 9
    fi
    if [[ ! -d $cache/$key ]]; then
        find "$cache" -maxdepth 1 -name 'making.*' -mmin +60 -exec rm -rf {} + 2>/dev/null || true
        work=$(mktemp -d "$cache/making.XXXXXX")
        mkdir "$work/entry" "$work/temporary"
        # shellcheck disable=SC2064  # expanded now on purpose: $work is local
        trap "rm -rf '$work'" EXIT
        "$maker" "$work/entry" "$work/temporary" || return $?
        sync "$cache" 2>/dev/null || true
        chmod 755 "$work/entry"
        mv -T "$work/entry" "$cache/$key"
        rm -rf "$work"
        trap - EXIT
    fi
    exec 9>&-
}

link_dependency() { # name, target
    mkdir -p "$deps"
    [[ $(readlink "$deps/$1" 2>/dev/null) == "$2" ]] && return 0
    ln -sfn "$2" "$deps/.$1.new"
    mv -T "$deps/.$1.new" "$deps/$1"
    say ".deps/$1 -> $2"
}

# An installed Python torch of a fitting version, found without importing it (that would take seconds).
installed_torch() {
    local candidate
    for candidate in ${ASSAY_PYTHON:-} python3 /usr/bin/python3; do
        "$candidate" - "$torch_oldest" 2>/dev/null <<'PY' && return 0
import importlib.util, pathlib, re, sys
spec = importlib.util.find_spec("torch")
if spec is None or not spec.origin:
    sys.exit(1)
folder = pathlib.Path(spec.origin).parent
match = re.search(r"__version__ = '(\d+)\.(\d+)", (folder / "version.py").read_text())
oldest = tuple(int(part) for part in sys.argv[1].split("."))
if not match or (int(match[1]), int(match[2])) < oldest:
    sys.exit(1)
if not (folder / "lib/libtorch_cpu.so").exists() or not (folder / "include/ATen").is_dir():
    sys.exit(1)
# The old string ABI of some 2.6 builds cannot be linked with the distribution's libraries.
if re.search(rb"torchCheckFailEPKcS\d_jRKSs", (folder / "lib/libc10.so").read_bytes()):
    sys.exit(1)
print(folder)
PY
    done
    return 1
}

# pip download of one wheel without dependencies; for Python 3.11 first, since nothing of it depends on the host's.
download_wheel() { # requirement, folder, extra pip arguments...
    local requirement=$1 folder=$2
    shift 2
    "$python" -m pip download --quiet --no-deps --only-binary=:all: --dest "$folder" "$@" \
        --python-version 3.11 --implementation cp --abi cp311 "$requirement" 2>>"$folder.log" ||
        "$python" -m pip download --quiet --no-deps --only-binary=:all: --dest "$folder" "$@" \
            "$requirement" 2>>"$folder.log"
}

unpack_wheels() { # folder with wheels, entry
    local wheel
    for wheel in "$1"/*.whl; do
        unzip -q -o "$wheel" -d "$2" -x 'torch/test/*' || stop "$(basename "$wheel") could not be unpacked (disk full?)."
    done
    is_libtorch "$2/torch" || stop "the torch package has no include/ and lib/; set ASSAY_LIBTORCH to a libtorch."
}

make_libtorch_cpu() { # entry, temporary
    find_python
    require_disk 1500 "libtorch (CPU build)"
    say "fetching libtorch $torch_version, CPU build (about 190 MB)"
    download_wheel "torch==$torch_version+cpu" "$2/wheels" ||
        download_wheel "torch==$torch_version+cpu" "$2/wheels" --index-url "$torch_cpu_index" ||
        return "$no_such_package"
    unpack_wheels "$2/wheels" "$1"
}

make_libtorch_full() { # entry, temporary
    find_python
    require_disk 12000 "libtorch (CUDA build)"
    say "fetching libtorch $torch_version, default build with CUDA (about 3,000 MB, 7 GB unpacked)"
    # With its dependencies: a CUDA build needs the NVIDIA libraries, which are packages of their own.
    if ! "$python" -m pip download --quiet --only-binary=:all: --dest "$2/wheels" "torch==$torch_version" \
        2>>"$2/wheels.log"; then
        tail -n 3 "$2/wheels.log" >&2 || true
        stop "libtorch $torch_version could not be fetched (no network, or no package for this system?)." \
            "Set ASSAY_LIBTORCH to a libtorch of $torch_oldest or newer and start again."
    fi
    find "$2/wheels" -name '*.whl' ! -name 'torch-*' ! -name 'nvidia_*' ! -name 'cuda_*' -delete
    unpack_wheels "$2/wheels" "$1"
}

make_sentencepiece() { # entry, temporary
    local source log=$2/build.log
    find_python
    require_disk 300 "sentencepiece"
    say "fetching and building sentencepiece $sentencepiece_version (3 MB, about a minute)"
    if ! "$python" -m pip download --quiet --no-deps --no-binary=:all: --dest "$2" \
        "sentencepiece==$sentencepiece_version" >"$log" 2>&1; then
        tail -n 3 "$log" >&2
        stop "the source of sentencepiece $sentencepiece_version could not be fetched (no network?)."
    fi
    echo "$sentencepiece_sha256  $2/sentencepiece-$sentencepiece_version.tar.gz" | sha256sum --check --quiet ||
        stop "the source of sentencepiece has another SHA-256 than expected; nothing was built."
    tar -xzf "$2/sentencepiece-$sentencepiece_version.tar.gz" -C "$2" ||
        stop "the source of sentencepiece could not be unpacked (disk full?)."
    source=$2/sentencepiece-$sentencepiece_version/sentencepiece
    # Hidden symbols: its bundled protobuf-lite must not meet another protobuf in the same process.
    if ! { cmake -S "$source" -B "$2/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
            -DSPM_ENABLE_SHARED=OFF -DSPM_ENABLE_TCMALLOC=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
            -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON \
            -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="$2/installed" &&
        cmake --build "$2/build" && cmake --install "$2/build"; } >>"$log" 2>&1; then
        tail -n 30 "$log" >&2
        stop "sentencepiece could not be built; the end of its log is above."
    fi
    { cp -r "$2/installed/include" "$2/installed/lib" "$source/LICENSE" "$1/" && mkdir -p "$1/bin" &&
        cp "$2/installed/bin/spm_train" "$1/bin/"; } || stop "sentencepiece could not be copied into $cache."
}

# A link into our own cache that an earlier version of this script made.
is_outdated() {
    local target
    target=$(readlink "$1") || return 1
    [[ $target == */libtorch-* && $target != */libtorch-"$torch_version"-* ]]
}

# The libtorch decision in the order DESIGN gives; prints "link FOLDER", "cpu" or "full".
choose_libtorch() {
    local folder
    if [[ -n ${ASSAY_LIBTORCH:-} ]]; then
        is_libtorch "$ASSAY_LIBTORCH" || stop "ASSAY_LIBTORCH=$ASSAY_LIBTORCH has no lib/libtorch_cpu.so and include/ATen."
        echo "link $(cd "$ASSAY_LIBTORCH" && pwd)"
    elif is_libtorch "$deps/libtorch" && ! is_outdated "$deps/libtorch"; then
        echo "link $(readlink -f "$deps/libtorch")"
    elif folder=$(installed_torch); then
        echo "link $folder"
    elif has_nvidia_gpu; then
        echo full
    else
        echo cpu
    fi
}

main() {
    local choice status plan=0
    [[ ${1:-} == --plan ]] && plan=1
    choice=$(choose_libtorch)
    if (( plan )); then
        case $choice in
            cpu) [[ -d $cache/libtorch-$torch_version-cpu ]] || echo "libtorch $torch_version (CPU): 190 MB" ;;
            full) [[ -d $cache/libtorch-$torch_version-full ]] ||
                echo "libtorch $torch_version with CUDA: about 3,000 MB, 7 GB unpacked" ;;
        esac
        [[ -d $cache/sentencepiece-$sentencepiece_version || -f $deps/sentencepiece/lib/libsentencepiece.a ]] ||
            echo "sentencepiece $sentencepiece_version source: 3 MB, built in about a minute"
        return 0
    fi
    case $choice in
        link\ *) link_dependency libtorch "${choice#link }" ;;
        cpu)
            # In a subshell, since a CPU build that no index has is no failure yet.
            status=0
            (make_entry "libtorch-$torch_version-cpu" make_libtorch_cpu) || status=$?
            if (( status == 0 )); then
                link_dependency libtorch "$cache/libtorch-$torch_version-cpu/torch"
            elif (( status == no_such_package )); then
                say "no CPU build of torch $torch_version was found in the package indexes"
                choice=full
            else
                exit "$status"
            fi ;;
    esac
    if [[ $choice == full ]]; then
        make_entry "libtorch-$torch_version-full" make_libtorch_full
        link_dependency libtorch "$cache/libtorch-$torch_version-full/torch"
    fi
    if [[ ! -f $deps/sentencepiece/lib/libsentencepiece.a ]]; then
        make_entry "sentencepiece-$sentencepiece_version" make_sentencepiece
        link_dependency sentencepiece "$cache/sentencepiece-$sentencepiece_version"
    fi
}

main "$@"
