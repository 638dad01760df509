#!/usr/bin/env python3
"""Makes the golden case of a family: a tiny random checkpoint with what transformers computes from it.

golden_family.py FOLDER CLASS 'CONFIG JSON' [SEED]

CLASS is a sequence classifier of transformers, CONFIG JSON its sizes. FOLDER gets config.json, config.v4.json (the spelling
before `rope_parameters`), model.safetensors and reference.json, which tst_golden_models reads. Weights are drawn large, so that
a wrong setting shows, and numbers are rounded to 6 digits. Run by hand, for it needs torch and transformers.
"""

import json
import pathlib
import sys

import torch
import transformers

KEPT_POSITIONS = 5


def rounded(value):
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(f"{value:.6g}")


def draw_weights(model, generator):
    for name, tensor in model.named_parameters():
        values = torch.randn(tensor.shape, generator=generator)
        if "embed" in name:
            tensor.copy_(0.05 * values)
        elif tensor.dim() > 1:
            tensor.copy_(1.6 / tensor.shape[1] ** 0.5 * values)
        elif "norm" in name:
            tensor.copy_(1 + 0.25 * values)
        else:
            tensor.copy_(0.3 * values)


def outputs(model, ids, mask=None):
    """Hidden states, the score of every position, and the pooled one; of real positions only."""
    given = torch.tensor([ids])
    kept = torch.ones_like(given) if mask is None else torch.tensor([mask])
    base = model.base_model(input_ids=given, attention_mask=kept, output_hidden_states=True, use_cache=False)
    real = kept[0].bool()
    hidden = base.last_hidden_state[0, real]
    pooled = model(input_ids=given, attention_mask=kept).logits[0]
    return hidden, model.score(hidden), pooled, [state[0, real] for state in base.hidden_states]


def reference(hidden, scores, pooled):
    count = hidden.shape[0]
    positions = sorted({round(i * (count - 1) / (KEPT_POSITIONS - 1)) for i in range(KEPT_POSITIONS)})
    return {
        "last_hidden_state": {"positions": positions, "values": rounded(hidden[positions].tolist())},
        "logits": rounded(pooled.tolist()),
        "score_at_every_position": rounded(scores.tolist()),
    }


def main():
    folder, class_name, sizes = pathlib.Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    cls = getattr(transformers, class_name)
    config = cls.config_class(**sizes, num_labels=1, attn_implementation="eager")
    model = cls(config).float().eval()
    generator = torch.Generator().manual_seed(seed)
    torch.set_num_threads(1)
    with torch.no_grad():
        draw_weights(model, generator)

        def ids(count):
            return torch.randint(3, config.vocab_size, (count,), generator=generator).tolist()

        cases = {"length_1": ids(1), "length_7": ids(7), "length_33": ids(33)}
        inside = ids(9)
        inside[4] = config.pad_token_id
        cases["pad_id_in_text"] = inside
        sequences = [{"name": name, "input_ids": row, **reference(*outputs(model, row)[:3])} for name, row in cases.items()]
        rows = [ids(5), ids(12), ids(9)]
        batch = {
            "padding_side": "right",
            "pad_token_id": config.pad_token_id,
            "input_ids": [row + [config.pad_token_id] * (12 - len(row)) for row in rows],
            "attention_mask": [[1] * len(row) + [0] * (12 - len(row)) for row in rows],
        }
        batch["rows"] = [reference(*outputs(model, row, mask)[:3])
                         for row, mask in zip(batch["input_ids"], batch["attention_mask"])]
        layers = [{"index": i, "mean": float(state.mean()), "std": float(state.std(unbiased=False)),
                   "abs_max": float(state.abs().max())}
                  for i, state in enumerate(outputs(model, cases["length_33"])[3])]
    model.save_pretrained(folder, safe_serialization=True)
    written = json.loads((folder / "config.json").read_text())
    old = dict(written)
    rope = old.pop("rope_parameters")
    old["rope_theta"], old["rope_scaling"] = rope["rope_theta"], None
    old["torch_dtype"] = old.pop("dtype")
    for name, value in (("config.json", written), ("config.v4.json", old)):
        (folder / name).write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")
    result = {
        "case": folder.name,
        "model_class": class_name,
        "seed": seed,
        "computed_with": f"transformers {transformers.__version__}, torch {torch.__version__}, float32, eager, one thread",
        "sequences": sequences,
        "padded_batch": batch,
        "layers": {"sequence": "length_33", "hidden_states": layers},
    }
    (folder / "reference.json").write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
