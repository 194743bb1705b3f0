#!/usr/bin/env bash
# Installs the optional faiss-node and builds it against the system's FAISS (Debian, Ubuntu: libfaiss-dev).
# Only the published retrieval protocol of `pearl bench` needs it.
#
# Usage: bash scripts/install-faiss.sh [FOLDER]    FOLDER contains the target node_modules (default: pearl's)
#
# `npm ci` and `npm install` remove packages that they did not install: run this script again after them.
set -euo pipefail

version=0.5.1
root=$(cd "${1:-$(dirname "$0")/..}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "install-faiss: $1" >&2
  exit 1
}

find_folder() { # FILE FOLDER...: prints the first folder that contains the file
  local file=$1 folder
  shift
  for folder in "$@"; do
    if [ -e "$folder/$file" ]; then
      echo "$folder"
      return
    fi
  done
}

# 1. FAISS with its headers, and a compiler.
packages="g++ libfaiss-dev libopenblas-dev"
faiss_include() { find_folder faiss/Index.h /usr/local/include /usr/include /opt/homebrew/include; }
if [ -z "$(faiss_include)" ] || ! command -v g++ >/dev/null; then
  command -v apt-get >/dev/null || fail "install FAISS with its headers, BLAS and g++ first, then run this again"
  [ "$(id -u)" = 0 ] || fail "run first: sudo apt-get install -y --no-install-recommends $packages"
  apt-get update -qq
  # shellcheck disable=SC2086 # a list of words
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >"$work/apt.log" ||
    { cat "$work/apt.log" >&2; fail "apt-get could not install $packages"; }
fi
include=$(faiss_include)

# 2. The sources of the package, in a separate folder, so that npm does not change the rest of node_modules.
npm install --prefix "$work/package" --silent --no-audit --no-fund --ignore-scripts --no-package-lock \
  "faiss-node@$version" node-api-headers || fail "npm could not fetch faiss-node@$version"
modules=$work/package/node_modules

# 3. FAISS before 1.7.4 defines idx_t inside the class Index, but faiss-node expects it in the namespace.
cat >"$work/faiss_compat.h" <<'HEADER'
#pragma once
#include <faiss/Index.h>
#if FAISS_VERSION_MAJOR == 1 && (FAISS_VERSION_MINOR < 7 || (FAISS_VERSION_MINOR == 7 && FAISS_VERSION_PATCH < 4))
namespace faiss { using idx_t = Index::idx_t; }
#endif
HEADER

# 4. The binding.
mkdir -p "$modules/faiss-node/build/Release"
g++ -O3 -std=gnu++17 -fPIC -shared -fopenmp -include "$work/faiss_compat.h" \
  -DNAPI_VERSION=8 -DNAPI_CPP_EXCEPTIONS -DNODE_GYP_MODULE_NAME=faiss_node \
  -I"$modules/node-api-headers/include" -I"$modules/node-addon-api" -I"$include" -L"${include%/include}/lib" \
  "$modules/faiss-node/src/faiss.cc" -o "$modules/faiss-node/build/Release/faiss-node.node" \
  -lfaiss -lblas -llapack || fail "the binding does not compile against the FAISS in $include"

# 5. Copy the package and the two packages that load its binding.
mkdir -p "$root/node_modules"
for name in bindings file-uri-to-path faiss-node; do
  rm -rf "${root:?}/node_modules/$name"
  cp -R "$modules/$name" "$root/node_modules/$name"
done

# 6. Test the result.
cd "$root"
node --input-type=module - <<'PROGRAM' || fail "faiss-node was built but does not work"
const { default: faiss } = await import("faiss-node");
const dimension = 8;
const rows = 300;
const vectors = Array.from({ length: rows * dimension }, (_, i) => Math.sin(i * 12.9898) + (i % dimension));
const index = faiss.Index.fromFactory(dimension, "IVF4,PQ4x4");
index.train(vectors);
index.add(vectors);
const { labels } = index.search(vectors.slice(7 * dimension, 8 * dimension), 1);
if (index.ntotal() !== rows || labels.length !== 1) process.exit(1);
PROGRAM
echo "faiss-node $version works in $root/node_modules (FAISS headers: $include)" >&2
