#!/usr/bin/env bash
# Builds Assay with its tests (installing what is missing) and runs them. The last line is "N passed, N failed", with
# ", N skipped" behind it where tests were skipped; the exit status is not zero when any failed.
#
#   ./test.sh                 all tests; if nothing changed since the last green run, says so and stops
#   ./test.sh --force         all tests in any case (also when CI is set)
#   ./test.sh -L core ...     ctest's own arguments, for a part of the tests
#
# ASSAY_TEST_DATA  the test data, default ../shared/data; tests that need it skip themselves where it is absent
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=scripts/setup.sh
. scripts/setup.sh

force=0
[[ -z ${CI:-} ]] || force=1
if [[ ${1:-} == --force ]]; then force=1; shift; fi

data=${ASSAY_TEST_DATA:-$assay_root/../shared/data}
stamp=build/release/last-green-run

# Everything a result depends on: sources (tracked or new), test data by name, size and time, libraries, packages.
fingerprint() {
    git rev-parse --is-inside-work-tree >/dev/null 2>&1 || return 1
    {
        git ls-files -z --cached --others --exclude-standard | sort -z | xargs -0 sha256sum 2>/dev/null || true
        [[ ! -d $data ]] || find "$data" -type f -printf '%P %s %T@\n' | sort
        readlink .deps/libtorch .deps/sentencepiece || true
        stat -c '%Y' /var/lib/dpkg/status 2>/dev/null || true
        env | grep '^ASSAY_' | sort || true
    } | sha256sum
}

assay_prepare test all

if (( $# == 0 && ! force )) && [[ -f $stamp ]] && print=$(fingerprint) && [[ $(head -n 1 "$stamp") == "$print" ]]; then
    assay_say "nothing changed since the last green run ($(date -r "$stamp" '+%Y-%m-%d %H:%M')); --force runs it again"
    tail -n 1 "$stamp"
    exit 0
fi
rm -f "$stamp"

export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
print=$(fingerprint) || print=none
status=0
set -o pipefail
ctest --test-dir build/release --verbose --parallel "$(nproc)" --no-tests=error "$@" 2>&1 |
    python3 scripts/summarise_tests.py build/release/tests.log || status=$?
if (( status == 0 && $# == 0 )) && [[ $print != none ]]; then
    # A run during which a source was edited says nothing about the edited tree.
    if [[ $(fingerprint) == "$print" ]]; then
        { echo "$print"; python3 scripts/summarise_tests.py --last-line build/release/tests.log; } >"$stamp"
    fi
fi
exit "$status"
