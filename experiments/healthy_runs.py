#!/usr/bin/env python3
"""Trains short healthy runs with different seeds and counts the verdicts that accuse them.

healthy_runs.py ASSAY STORE [RUNS] [STEPS] [--setting value ...]

Every run is the demo's experiment, cut to STEPS optimiser steps (600), with another seed for order, head, dropout and
split. A healthy run may be called learning, or too early while it trains; every other word is a false verdict.
"""
import collections
import json
import pathlib
import subprocess
import sys

FAIR = {"learning", "too-early"}


def assay(program, store, *arguments):
    command = [program, *arguments, "--store", store, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, store = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    steps = int(sys.argv[4]) if len(sys.argv) > 4 else 600
    experiment = pathlib.Path(__file__).parent / "demo.json"
    final, during = collections.Counter(), collections.Counter()
    for seed in range(1, runs + 1):
        outcome = assay(program, store, "train", str(experiment), "--run.name", f"healthy-{seed}", "--run.seed",
                        str(seed), "--schedule.maximum_steps", str(steps), "--evaluation.every_steps",
                        str(max(1, steps // 4)), "--checkpoint.every_steps", "0", *sys.argv[5:])
        shown = assay(program, store, "show", outcome["run"])
        verdicts = [evaluation["verdict"]["id"] for evaluation in shown["evaluations"]]
        during.update(verdicts[:-1])
        final.update(verdicts[-1:])
        metrics = {metric["id"]: metric["value"] for metric in shown["evaluations"][-1]["report"]["metrics"]}
        print(f"seed {seed:2}: {' '.join(verdicts)}; AUROC {metrics['auroc']:.3f}, "
              f"{outcome['seconds']:.0f} s", flush=True)
    accused = sum(count for verdict, count in (final + during).items() if verdict not in FAIR)
    print(f"{runs} runs: at the end {dict(final)}, before {dict(during)}; {accused} false verdicts")
    return 1 if accused else 0


if __name__ == "__main__":
    sys.exit(main())
