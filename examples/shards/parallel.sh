#!/bin/sh
# Encodes a table in shards, two at a time, with GNU parallel, and merges the parts: parallel.sh TABLE WHOLE SHARDS [OPTION...]
# A shard that fails stops the others; the next run does only the shards that have no part yet.
set -eu
table=$1 whole=$2 shards=$3
shift 3
mkdir -p "$whole.parts"
# -q: words with spaces stay whole
seq "$shards" | parallel -q --jobs 2 --halt now,fail=1 \
  sh -c 'part=$1; shift; test -e "$part" || exec pearl encode "$@" -o "$part"' sh "$whole.parts/{}.part" \
  "$table" "$@" --quiet --threads 1 --shard "{}/$shards"
pearl merge "$whole.parts"/*.part -o "$whole"
