#!/bin/bash
# Encodes JSON lines from standard input to standard output, for engines that pipe their partitions through a program:
# pipe.sh [OPTION...]. Nothing comes of nothing: a partition may be empty.
set -euo pipefail
IFS= read -r first || [ -n "$first" ] || exit 0
{ printf '%s\n' "$first"; cat; } |
  pearl encode - -o - --input-format jsonl --format jsonl --quiet "$@"
