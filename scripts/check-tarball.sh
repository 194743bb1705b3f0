#!/usr/bin/env bash
# Packs pearl, installs the tarball into an empty folder with only the npm registry reachable, and encodes a
# table there without any network. The kernel closes other hosts, where it lets this user make a network namespace.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

cd "$root"
# dist is the build under test: npm need not build it again
tarball="$work/$(npm pack --ignore-scripts --silent --pack-destination "$work" | tail -1)"
tar -tzf "$tarball" >"$work/files"
echo "tarball: $(du -k "$tarball" | cut -f1) kB, $(wc -l <"$work/files") files"
if grep -E '\.map$|tsbuildinfo' "$work/files"; then
  echo "error: the tarball must not contain these files" >&2
  exit 1
fi

mkdir "$work/project"
cd "$work/project"
echo '{ "private": true }' >package.json
registry="$(npm config get registry)"
install=(npm install --no-audit --no-fund --loglevel=error "$tarball")
namespace=(unshare --net)
[ "$(id -u)" = 0 ] || namespace+=(--map-root-user)
alone() { "${namespace[@]}" bash -c 'ip link set lo up && exec "$@"' alone "$@"; }
if reason="$(alone true 2>&1)"; then
  node "$root/scripts/registry-relay.mjs" serve "$work/relay" "$registry" &
  trap 'kill $!; rm -rf "$work"' EXIT
  until [ -S "$work/relay" ]; do sleep 0.1; done
  alone node "$root/scripts/registry-relay.mjs" run "$work/relay" "${install[@]}"
else
  echo "no network namespace here, so other hosts are closed by proxy settings only: $reason"
  alone() { "$@"; }
  closed=http://127.0.0.1:9
  direct="$(sed -E 's#^[a-z]+://([^/@]*@)?([^/:]+).*#\2#' <<<"$registry"),localhost,127.0.0.1"
  HTTPS_PROXY=$closed HTTP_PROXY=$closed https_proxy=$closed http_proxy=$closed \
    GLOBAL_AGENT_HTTP_PROXY=$closed GLOBAL_AGENT_HTTPS_PROXY=$closed \
    NO_PROXY=$direct no_proxy=$direct npm_config_noproxy=$direct "${install[@]}"
fi
node "$root/scripts/budgets.mjs" --install node_modules

alone npx pearl encode "$root/data/phrases.csv" -o phrases.parquet
test -s phrases.parquet
alone npx pearl doctor | grep -E '^works|onnxruntime'
alone node -e 'import("pearl-embeddings").then(({ PhraseEncoder }) => { if (!PhraseEncoder) process.exit(1); })'
