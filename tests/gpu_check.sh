#!/usr/bin/env bash
# Checks on a CUDA machine, a few minutes: scores against the CPU, then a short training run on the device.
# Usage: tests/gpu_check.sh [BIN_DIR]   (default build/release/bin). Prints one JSON line and exits non-zero on a difference.
set -euo pipefail
cd "$(dirname "$0")/.."
bin="${1:-build/release/bin}"
store="$(mktemp -d)"
trap 'rm -rf "$store"' EXIT

if ! "$bin/assay" --json doctor | python3 -c 'import json,sys; sys.exit(0 if "cuda" in json.dumps(json.load(sys.stdin)) else 1)'; then
    echo '{"gpu": false, "reason": "no CUDA device is visible to libtorch"}'
    exit 0
fi

run() { # device dtype -> loss of the last evaluation
    "$bin/assay" --store "$store/$1-$2" --json train experiments/demo.json --compute.device "$1" --compute.dtype "$2" \
        --schedule.maximum_steps 40 --evaluation.every_steps 40 > "$store/$1-$2.json"
    python3 - "$store/$1-$2.json" <<'PY'
import json, sys
text = open(sys.argv[1]).read()
print(json.loads(text.strip().splitlines()[-1] if "\n{" in text else text)["loss"])
PY
}

cpu="$(run cpu float32)"
gpu32="$(run cuda:0 float32)"
gpu16="$(run cuda:0 bfloat16)"
python3 - "$cpu" "$gpu32" "$gpu16" <<'PY'
import json, sys
cpu, gpu32, gpu16 = map(float, sys.argv[1:])
ok = abs(gpu32 - cpu) <= 2e-3 * max(1.0, cpu) and abs(gpu16 - cpu) <= 2e-2 * max(1.0, cpu)
print(json.dumps({"gpu": True, "loss_cpu_float32": cpu, "loss_gpu_float32": gpu32, "loss_gpu_bfloat16": gpu16, "ok": ok}))
sys.exit(0 if ok else 1)
PY
