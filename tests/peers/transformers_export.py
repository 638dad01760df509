#!/usr/bin/env python3
"""Loads exports of Assay with transformers and compares logits; run by hand, for it needs torch and transformers.

transformers_export.py ASSAY [--rows FILE] FOLDER...

Every folder is opened by the Auto class that its config.json names, in float32. Random ids of the vocabulary, alone and
as a padded batch, must give the logits of `assay model` within |x - r| <= 5e-5 + 2e-5 |r|, and no weight may be missing
or left over (but a head bias that was kept for Assay). With --rows the texts of a data file are scored too: laid out by the
export's layout.json, their read-outs must have the scores of `assay score`.
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


def lines(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def rows_agree(assay, folder, model, sequence, file):
    """The scores of a data file: read at the layout's positions here, by `assay score` there."""
    flags = []
    for key, value in json.loads((folder / "layout.json").read_text()).items():
        text = "none" if value is None else json.dumps(value) if not isinstance(value, str) else value
        flags += [f"--layout.{key}", text]
    laid_out = lines(assay, "data", "rows", file, "--tokenizer", folder, "--evaluation", *flags)
    scored = lines(assay, "score", folder, file)
    pad, bias = model.config.pad_token_id, kept_bias(folder, sequence)
    excess, worst, count = 0.0, 0.0, 0
    for row, answer in zip(laid_out, scored, strict=True):
        texts = [entry["ids"] for entry in row["sequences"]]
        width = max(map(len, texts))
        batch = torch.tensor([ids + [pad or 0] * (width - len(ids)) for ids in texts])
        mask = torch.tensor([[1] * len(ids) + [0] * (width - len(ids)) for ids in texts])
        with torch.no_grad():
            logits = model(batch, attention_mask=mask).logits.double()
        if sequence:
            logits = logits + bias
        kept = [score for score in answer["scores"] if score is not None]  # null: the layout cut the step away
        for read_out, score in zip(row["read_outs"], kept, strict=True):
            values = logits[read_out["sequence"]] if sequence else logits[read_out["sequence"], read_out["position"]]
            reference = (values[1] - values[0] if len(values) == 2 else values[0]).item()
            worst = max(worst, abs(score - reference))
            excess = max(excess, abs(score - reference) / (5e-5 + 2e-5 * abs(reference)))
            count += 1
    print(f"{'ok ' if excess <= 1 else 'BAD'} {folder.name:40} {count} scores of {file}, largest difference {worst:.2e}")
    return excess <= 1


def compare(assay, folder, rows):
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
    return excess <= 1 and (rows is None or rows_agree(assay, folder, model, sequence, rows))


if __name__ == "__main__":
    words = sys.argv[1:]
    file = None
    if "--rows" in words[:-1]:
        at = words.index("--rows")
        file = words[at + 1]
        del words[at : at + 2]
    if len(words) < 2:
        raise SystemExit(__doc__)
    results = [compare(words[0], pathlib.Path(folder), file) for folder in words[1:]]
    sys.exit(0 if all(results) else 1)
