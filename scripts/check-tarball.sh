#!/usr/bin/env bash
# Packs pearl, installs the tarball into an empty folder with only the npm registry reachable, and encodes a
# table there.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

cd "$root"
tarball="$work/$(npm pack --silent --pack-destination "$work" | tail -1)"
tar -tzf "$tarball" >"$work/files"
echo "tarball: $(du -k "$tarball" | cut -f1) kB, $(wc -l <"$work/files") files"
if grep -E '\.map$|tsbuildinfo' "$work/files"; then
  echo "error: the tarball must not contain these files" >&2
  exit 1
fi

mkdir "$work/project"
cd "$work/project"
echo '{ "private": true }' >package.json
# Install scripts get a proxy that refuses every host except the registry.
registry="$(npm config get registry | sed -E 's#^[a-z]+://([^/@]*@)?([^/:]+).*#\2#')"
closed=http://127.0.0.1:9
direct="$registry,localhost,127.0.0.1"
HTTPS_PROXY=$closed HTTP_PROXY=$closed https_proxy=$closed http_proxy=$closed \
  GLOBAL_AGENT_HTTP_PROXY=$closed GLOBAL_AGENT_HTTPS_PROXY=$closed \
  NO_PROXY=$direct no_proxy=$direct npm_config_noproxy=$direct \
  npm install --no-audit --no-fund --loglevel=error "$tarball"
echo "installed: $(du -sm node_modules | cut -f1) MB"

npx pearl encode "$root/data/phrases.csv" -o phrases.parquet
test -s phrases.parquet
npx pearl doctor | grep -E '^works|onnxruntime'
node -e 'import("pearl-embeddings").then(({ PhraseEncoder }) => { if (!PhraseEncoder) process.exit(1); })'
