#!/usr/bin/env bash
# The GPU benchmark, in eight minutes at most: what works, encoding, training steps, parity with the CPU, memory, and
# PyTorch beside them where it is installed. Writes gpu.json and summary.txt into a folder:
#
#     ./run.sh [--tiny] [FOLDER]        default gpu-results; --tiny shows that everything runs, also without a GPU
#
# Runs in the folder that pack.sh makes, or in a checkout after `npm run build`. A CUDA provider must have the version
# of onnxruntime-node in this folder: libonnxruntime_providers_{shared,cuda}.so from NuGet in PEARL_CUDA_LIBS, or
# those of Python's onnxruntime-gpu of that version, which are found.
set -u
here="$(dirname "$(readlink -f "$0")")"
root="$(readlink -f "$here/../..")"
# Hard limits of the phases in seconds: 480 at most in all.
declare -A limits=(
  [python]=5 [make]=45 [probe cpu]=10 [probe webgpu]=10 [probe webgpu GLX]=10 [probe webgpu EGL]=10 [probe cuda]=10
  [parity cpu]=35 [encode cpu]=15 [train cpu]=20
  [parity webgpu]=35 [encode webgpu]=50 [train webgpu]=65
  [parity cuda]=20 [encode cuda]=30 [train cuda]=40
  [torch]=60 [summary]=5
)
slack=1
tiny=()
if [ "${1:-}" = --tiny ]; then
  # a driver on the CPU takes long to compile shaders
  tiny=(--tiny) slack=6
  shift
fi
out="$(readlink -m "${1:-gpu-results}")"
mkdir -p "$out" || exit 1
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
: >"$work/results.jsonl"
: >"$out/log.txt"
node=node
is_pack=no
[ -x "$root/bin/node" ] && node="$root/bin/node" is_pack=yes

# Runs a command as a phase: killed at its limit, its end recorded.
phase() {
  local name="$1" limit=$((${limits[$1]} * slack)) start=$SECONDS code
  shift
  printf '%s ' "$name"
  timeout -s KILL "$limit" "$@" >>"$out/log.txt" 2>&1
  code=$?
  printf '{"kind":"phase","name":"%s","limit":%d,"seconds":%d,"code":%d}\n' \
    "$name" "$limit" $((SECONDS - start)) "$code" >>"$work/results.jsonl"
  echo "$((SECONDS - start)) s$([ "$code" = 0 ] || echo ", ended with code $code")"
}
measure() { # PHASE DEVICE [variant]
  phase "$*" "$node" "$here/measure.mjs" "$1" "$2" --work "$work" --seconds $((${limits["$*"]} * slack)) "${tiny[@]}"
}
note() { printf '{"kind":"note","text":"%s"}\n' "$1" >>"$work/results.jsonl"; }
works() { [[ "$(<"$work/results.jsonl")" == *"\"device\":\"$1\",\"works\":true"* ]]; }

# The path of a library on this machine, if it has it.
library() {
  local folder
  for folder in ${LD_LIBRARY_PATH+${LD_LIBRARY_PATH//:/ }} /usr/lib/x86_64-linux-gnu /lib/x86_64-linux-gnu /usr/lib64 /lib64 /usr/lib \
    /usr/local/lib /usr/local/nvidia/lib64 /run/opengl-driver/lib; do
    [ -e "$folder/$1" ] && echo "$folder/$1" && return
  done
}

# What the machine lacks of the Vulkan loader, the X libraries that NVIDIA's driver loads, and C++'s, from the pack.
link_spare_libraries() {
  local each name used=()
  mkdir "$work/lib"
  for each in "$root"/lib/*.so*; do
    name="$(basename "$each")"
    [ -e "$each" ] && [ -z "$(library "$name")" ] && ln -s "$each" "$work/lib/$name" && used+=("$name")
  done
  [ ${#used[@]} = 0 ] || note "libraries of the pack, which this machine lacks: ${used[*]}"
  export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$work/lib"
}

# Tries the Vulkan drivers that the loader finds; then NVIDIA's, which containers often have without its description.
probe_webgpu() {
  local kind found
  measure probe webgpu
  for kind in GLX EGL; do
    works webgpu && return
    found="$(library "lib${kind}_nvidia.so.0")"
    [ -n "$found" ] || { note "no lib${kind}_nvidia.so.0: NVIDIA's Vulkan driver is not installed"; continue; }
    echo "{ \"file_format_version\": \"1.0.0\", \"ICD\": { \"library_path\": \"$found\", \"api_version\": \"1.3.0\" } }" >"$work/$kind.json"
    export VK_DRIVER_FILES="$work/$kind.json" VK_ICD_FILENAMES="$work/$kind.json"
    note "tried with a description of NVIDIA's driver of our own: $found"
    measure probe webgpu "$kind"
  done
}

# Python's torch, CUDA's libraries and ONNX Runtime's provider for CUDA, found without importing anything.
find_python_packages() {
  command -v python3 >/dev/null || { note "no python3, so no comparison with torch"; return; }
  phase python python3 - "$work/python" <<'PYTHON'
import glob, importlib.metadata, importlib.util, sys
def folders(name):
    spec = importlib.util.find_spec(name)
    return list(spec.submodule_search_locations or []) if spec else []
def version(name):
    try: return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError: return ""
with open(sys.argv[1], "w") as out:
    libraries = [p for f in folders("nvidia") for p in glob.glob(f + "/*/lib")] + [f + "/lib" for f in folders("torch")]
    out.write(f"has_torch={'yes' if folders('torch') else 'no'}\n")
    out.write(f"cuda_libraries='{':'.join(libraries)}'\n")
    out.write(f"gpu_runtime='{(folders('onnxruntime') or [''])[0]}/capi'\ngpu_version='{version('onnxruntime-gpu')}'\n")
PYTHON
  [ -s "$work/python" ] && . "$work/python"
}

link_cuda_provider() {
  local binding="$root/node_modules/onnxruntime-node/bin/napi-v6/linux/x64" own from="${PEARL_CUDA_LIBS:-}"
  own="$("$node" -p 'require(process.argv[1]).version' "$root/node_modules/onnxruntime-node/package.json")"
  if [ -z "$from" ] && [ -n "$gpu_version" ]; then
    if [ "$gpu_version" = "$own" ]; then from="$gpu_runtime"; else note "onnxruntime-gpu $gpu_version is not $own"; fi
  fi
  [ -n "$from" ] && [ "$is_pack" = yes ] || return
  for each in shared cuda; do ln -sf "$from/libonnxruntime_providers_$each.so" "$binding/"; done
  note "CUDA's provider: $from"
}

has_torch=no cuda_libraries= gpu_runtime= gpu_version=
echo "phases, with the seconds each took; details in $out/log.txt"
link_spare_libraries
find_python_packages
link_cuda_provider
phase make "$node" "$here/measure.mjs" make cpu --work "$work" --seconds $((${limits[make]} * slack)) "${tiny[@]}"
measure probe cpu
probe_webgpu
[ -z "$cuda_libraries" ] || export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$cuda_libraries"
measure probe cuda
measure parity cpu
for device in webgpu cuda; do
  works "$device" || continue
  for each in parity encode train; do measure "$each" "$device"; done
done
for each in encode train; do measure "$each" cpu; done
[ "$has_torch" = no ] || phase torch python3 "$here/torch-side.py" "$work" $((${limits[torch]} * slack))
phase summary "$node" "$here/summary.mjs" "$work" "$out" "${tiny[@]}"
[ -s "$out/summary.txt" ] && cat "$out/summary.txt"
