#!/usr/bin/env python3
"""Loads exports of Assay with transformers and compares logits; run by hand, for it needs torch and transformers.

transformers_export.py ASSAY FOLDER...

Every folder is opened by the Auto class that its config.json names, in float32. Random ids of the vocabulary, alone and
as a padded batch, must give the logits of `assay model` within |x - r| <= 5e-5 + 2e-5 |r|, and no weight may be missing
or left over (but a head bias that was kept for Assay).
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import torch
from safetensors import safe_open
from transformers import AutoModelForSequenceClassification, AutoModelForTokenClassification

LENGTHS = (1, 7, 33, 50)


def ours(assay, folder, cases):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"cases": [{"input_ids": ids} for ids in cases]}, file)
        file.flush()
        done = subprocess.run([assay, "model", folder, "--input", file.name], capture_output=True, text=True, check=True)
    return [torch.tensor(case["outputs"], dtype=torch.float64) for case in json.loads(done.stdout)["cases"]]


def kept_bias(folder, sequence):
    """A bias that Assay adds and the class for sequences has no place for."""
    record = folder / "export.json"
    if not sequence or not record.exists() or json.loads(record.read_text())["head"]["bias"] != "kept":
        return 0.0
    for file in sorted(folder.glob("model*.safetensors")):
        with safe_open(file, "pt") as tensors:
            if "score.bias" in tensors.keys():
                return tensors.get_tensor("score.bias").double()
    return 0.0


def compare(assay, folder):
    config = json.loads((folder / "config.json").read_text())
    sequence = config["architectures"][0].endswith("ForSequenceClassification")
    kind = AutoModelForSequenceClassification if sequence else AutoModelForTokenClassification
    model, loading = kind.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
    model.eval()
    left = set(loading["unexpected_keys"]) - {"score.bias"}
    if loading["missing_keys"] or loading["mismatched_keys"] or left:
        raise SystemExit(f"{folder}: missing {loading['missing_keys']}, left over {left}")
    if config["architectures"][0] != type(model).__name__:
        raise SystemExit(f"{folder}: config.json says {config['architectures'][0]}, loaded {type(model).__name__}")
    pad = model.config.pad_token_id
    draw = random.Random(7)
    vocabulary = [i for i in range(model.config.vocab_size) if i != pad]
    longest = min(LENGTHS[-1], getattr(model.config, "max_position_embeddings", LENGTHS[-1]))
    cases = [[draw.choice(vocabulary) for _ in range(min(length, longest))] for length in LENGTHS]
    expected = [outputs - kept_bias(folder, sequence) for outputs in ours(assay, folder, cases)]
    answers = []
    with torch.no_grad():
        for ids in cases:
            answers.append(model(torch.tensor([ids])).logits[0])
        if pad is not None:  # the same rows in one batch, padded on the right
            width = max(map(len, cases))
            batch = torch.tensor([ids + [pad] * (width - len(ids)) for ids in cases])
            mask = torch.tensor([[1] * len(ids) + [0] * (width - len(ids)) for ids in cases])
            logits = model(batch, attention_mask=mask).logits
            answers += [row if sequence else row[: len(ids)] for row, ids in zip(logits, cases)]
            expected = expected + expected
    worst, excess = 0.0, 0.0
    for theirs, own in zip(answers, expected):
        reference = theirs.double()
        value = own[-1] if sequence else own
        difference = (value - reference).abs()
        worst = max(worst, difference.max().item())
        excess = max(excess, (difference / (5e-5 + 2e-5 * reference.abs())).max().item())
    print(f"{'ok ' if excess <= 1 else 'BAD'} {folder.name:40} {type(model).__name__:34} "
          f"{len(answers)} texts{'' if pad is None else ', half of them padded'}, largest difference {worst:.2e}")
    return excess <= 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    results = [compare(sys.argv[1], pathlib.Path(folder)) for folder in sys.argv[2:]]
    sys.exit(0 if all(results) else 1)
