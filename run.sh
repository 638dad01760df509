#!/usr/bin/env bash
# Builds Assay (installing what is missing) and runs it.
#
#   ./run.sh               train and show the embedded demo; opens the window where there is a display
#   ./run.sh ARGUMENTS     run "assay ARGUMENTS", for instance: ./run.sh train --help
#
# ASSAY_STORE  where runs are stored, default ${XDG_DATA_HOME:-$HOME/.local/share}/assay, as for every command
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=scripts/setup.sh
. scripts/setup.sh

assay_caller_folder=$OLDPWD
assay_prepare run assay assay-gui

if (( $# > 0 )); then
    # File names among the arguments are the caller's: relative to where the caller stands.
    cd "$assay_caller_folder"
    exec "$assay_root/build/release/bin/assay" "$@"
fi

export HOME=${HOME:-/root}
build/release/bin/assay demo
if [[ -n ${DISPLAY:-} || -n ${WAYLAND_DISPLAY:-} ]]; then
    exec build/release/bin/assay-gui
fi
assay_say "no display here; on a machine with one: ./run.sh gui"
