# shellcheck shell=bash
# The set-up shared by run.sh and test.sh (sourced): what is needed from the distribution, what must be fetched, and the
# build. Says sizes and times before it starts, installs only what is missing, and asks apt nothing when all is there.
#
# ASSAY_SKIP_PACKAGES=1  do not look at the distribution or its packages (they are there under other names)
# ASSAY_JOBS             compile jobs at once, default by cores and memory

# ---- What Assay needs from the distribution. This is the only list. ----
# One line each: package, or alternatives by distribution with |; then what shows that it is there, if not dpkg: a
# command (for tools, which may come from elsewhere).
readonly assay_packages_run='
ca-certificates
ccache                    ccache
cmake                     cmake
fonts-dejavu-core
fonts-inter
g++                       g++
git                       git
libcli11-dev
libfmt-dev
libicu-dev
libpcre2-dev
libqcustomplot-dev
libsimdjson-dev
libspdlog-dev
libsqlite3-dev
libsqlitecpp-dev
libssl-dev
libzstd-dev
ninja-build               ninja
nlohmann-json3-dev
python3                   python3
python3-pip               pip
qt6-base-dev
qt6-svg-dev|libqt6svg6-dev
unzip                     unzip
zlib1g-dev
'
# Format and lint are checked with the one version they are written for; Debian 13 no longer has it, and the checks skip
# themselves.
readonly assay_packages_test='
clang-format-14           clang-format-14
clang-tidy-14             clang-tidy-14
'

# Minutes of one core that a build from nothing takes, as measured; said before the first build.
readonly assay_build_core_minutes=20
# Disk that a build with its tests takes.
readonly assay_build_megabytes=1500
# Memory that one compile job may need at its worst (a file that includes torch).
readonly assay_job_megabytes=1800

assay_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

assay_say() { printf 'assay: %s\n' "$*"; }
assay_stop() { printf 'assay: %s\n' "$*" >&2; exit 1; }

# Prints the packages that are missing, one set of alternatives a line.
assay_missing_packages() { # purpose: run or test
    local lines=$assay_packages_run installed names check found alternative
    if [[ $1 == test && $(assay_distribution) != debian:13 ]]; then lines+=$assay_packages_test; fi
    installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' 2>/dev/null | sed -n 's/ installed$//p')
    while read -r names check; do
        [[ -n $names ]] || continue
        found=0
        if [[ $check == pip ]]; then
            # Asked without starting pip, which would take half a second of every start.
            python3 -c 'import importlib.util as i, sys; sys.exit(not i.find_spec("pip"))' 2>/dev/null && found=1
        elif [[ -n $check ]]; then
            command -v "$check" >/dev/null 2>&1 && found=1
        fi
        if (( ! found )); then
            for alternative in ${names//|/ }; do
                grep -qxF -- "$alternative" <<<"$installed" && found=1
            done
        fi
        (( found )) || printf '%s\n' "$names"
    done <<<"$lines"
}

# Prints the distribution as ID:VERSION.
assay_distribution() {
    # shellcheck disable=SC1091
    (. /etc/os-release 2>/dev/null && printf '%s:%s\n' "${ID:-unknown}" "${VERSION_ID:-}") || echo unknown:
}

assay_check_distribution() {
    local distribution
    distribution=$(assay_distribution)
    case $distribution in
        debian:12|debian:13|ubuntu:24.04) ;;
        *) assay_stop "this is $distribution, and the set-up knows Debian 12 and 13 and Ubuntu 24.04. Install what" \
            "scripts/setup.sh lists under this distribution's names (Qt 6.4 or newer), then start again with" \
            "ASSAY_SKIP_PACKAGES=1." ;;
    esac
}

# Runs apt-get as root, or through sudo.
assay_apt() {
    if (( EUID == 0 )); then
        DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=300 "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=300 "$@"
    fi
}

# Replaces alternatives by the first that this distribution has, one package a line; "-NAME" where it has none.
assay_resolve_packages() { # sets of alternatives
    local names alternative candidate chosen
    for names in "$@"; do
        chosen=-$names
        for alternative in ${names//|/ }; do
            candidate=$(LC_ALL=C apt-cache policy "$alternative" 2>/dev/null | sed -n 's/^  Candidate: //p')
            if [[ -n $candidate && $candidate != '(none)' ]]; then chosen=$alternative; break; fi
        done
        printf '%s\n' "$chosen"
    done
}

assay_install_packages() { # purpose
    local missing package plan log
    local -a wanted=() packages=()
    [[ ${ASSAY_SKIP_PACKAGES:-0} == 1 ]] && return 0
    # Without dpkg everything would look missing; then the sentence about the distribution is the one to read.
    command -v dpkg-query >/dev/null 2>&1 || assay_check_distribution
    missing=$(assay_missing_packages "$1")
    [[ -n $missing ]] || return 0
    assay_check_distribution
    mapfile -t wanted <<<"$missing"
    assay_say "missing from the distribution: ${wanted[*]}"
    if (( EUID != 0 )) && ! command -v sudo >/dev/null 2>&1; then
        assay_stop "installing packages needs root, and there is no sudo. Ask an administrator to run:" \
            "apt-get install --no-install-recommends ${wanted[*]%%|*}"
    fi
    if (( EUID != 0 )) && [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; then
        assay_stop "installing packages needs root, and sudo would ask for a password but there is no terminal." \
            "Run: sudo apt-get install --no-install-recommends ${wanted[*]%%|*}"
    fi
    assay_apt update -qq || assay_say "the package lists could not be brought up to date; trying with those at hand"
    while IFS= read -r package; do
        [[ $package != -* ]] || assay_stop "the package ${package#-} cannot be found. Is there a network, and are all" \
            "sections (on Ubuntu: universe) enabled in apt's sources?"
        packages+=("$package")
    done < <(assay_resolve_packages "${wanted[@]}")
    plan=$(assay_apt install --no-install-recommends --assume-no "${packages[@]}" 2>/dev/null |
        grep -E '^(Need to get|After this operation|[0-9]+ upgraded)' || true)
    assay_say "apt will install ${packages[*]} with what they need:"
    [[ -z $plan ]] || sed 's/^/assay:   /' <<<"$plan"
    log=$(mktemp)
    if ! assay_apt install --no-install-recommends -y -qq "${packages[@]}" >"$log" 2>&1; then
        grep -E '^E:' "$log" >&2 || tail -n 5 "$log" >&2
        rm -f "$log"
        assay_stop "the packages could not be installed; the reason is above (no network and no disk space are the usual" \
            "ones). Nothing else was changed."
    fi
    rm -f "$log"
}

assay_job_count() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
    local jobs=$(( memory / assay_job_megabytes ))
    (( jobs < cores )) || jobs=$cores
    (( jobs > 0 )) || jobs=1
    echo "${ASSAY_JOBS:-$jobs}"
}

assay_require_cmake() {
    local version
    version=$(cmake --version 2>/dev/null | sed -n '1s/.* //p')
    if [[ $(printf '%s\n3.25\n' "$version" | sort -V | head -n 1) != 3.25 ]]; then
        assay_stop "cmake ${version:-without a version} is too old, 3.25 is needed. The distribution's own is new enough:" \
            "remove the older one from PATH ($(command -v cmake))."
    fi
}

# Configures when that has not been done, and builds the given targets of the release preset (default: all).
assay_build() { # targets...
    local log=$assay_root/build/release/configure.log
    local -a targets=()
    (( $# == 0 )) || targets=(--target "$@")
    cd "$assay_root"
    if [[ ! -f build/release/build.ninja ]]; then
        assay_require_cmake
        mkdir -p build/release
        if ! cmake --preset release >"$log" 2>&1; then
            tail -n 40 "$log" >&2
            assay_stop "the build could not be configured; the reason is above, the whole log in $log."
        fi
    fi
    cmake --build --preset release --parallel "$(assay_job_count)" "${targets[@]}" ||
        assay_stop "the build failed; the first error is above."
}

# Everything up to a finished build. Says what it will take before it takes it.
assay_prepare() { # purpose: run or test; targets...
    local purpose=$1 fetch jobs free_mb
    shift
    [[ $(uname -s) == Linux ]] || assay_stop "Assay is built for Linux; this is $(uname -s)."
    jobs=$(assay_job_count)
    if [[ ! -f $assay_root/build/release/build.ninja ]]; then
        fetch=$("$assay_root/scripts/dependencies.sh" --plan)
        [[ -z $fetch ]] || { assay_say "will be fetched besides packages:"; sed 's/^/assay:   /' <<<"$fetch"; }
        assay_say "the first build takes about $(( (assay_build_core_minutes + jobs - 1) / jobs )) minutes with" \
            "$jobs jobs, and about $assay_build_megabytes MB of disk"
        free_mb=$(df -Pm "$assay_root" | awk 'NR == 2 { print $4 }')
        (( free_mb >= assay_build_megabytes )) ||
            assay_stop "the build needs about $assay_build_megabytes MB in $assay_root, but only $free_mb MB are free."
    fi
    assay_install_packages "$purpose"
    "$assay_root/scripts/dependencies.sh"
    assay_build "$@"
}
