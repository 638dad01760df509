"""MB/s of the fast tokenizers on the lines that bench_tokenizer reads, best of five, and the checksum of all ids:
tokenizer_speed.py TOKENIZER.json LINES THREADS"""
import os
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "true" if int(sys.argv[3]) > 1 else "false"
os.environ["RAYON_NUM_THREADS"] = sys.argv[3]
from tokenizers import Tokenizer  # noqa: E402  (reads the variables above)


def text_of(line):
    parts = line.split("\\\\")
    return "\\".join(part.replace("\\n", "\n").replace("\\r", "\r") for part in parts)


texts = [text_of(line) for line in open(sys.argv[2], newline="", encoding="utf-8").read().split("\n")]
tokenizer = Tokenizer.from_file(sys.argv[1])
tokenizer.encode_special_tokens = True  # text is text
best, first = 1e9, None
for _ in range(5):
    begin = time.perf_counter()
    encoded = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    seconds = time.perf_counter() - begin
    first = first or seconds
    best = min(best, seconds)
size, total, tokens = sum(len(text.encode()) for text in texts), 0, 0
for one in encoded:
    tokens += len(one.ids)
    for token in one.ids:
        total = (total * 31 + token + 1) % 72057594037927931
print(f"{sys.argv[3]} threads: {size / best / 1e6:.2f} MB/s, first time {size / first / 1e6:.2f}; "
      f"{tokens} tokens, checksum {total}")
