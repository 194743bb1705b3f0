#!/usr/bin/env bash
# Fetches SwiftShader, a Vulkan driver that runs on the CPU, from Debian's chromium-common package, to test
# the WebGPU device on a machine without a GPU. Prints the environment variables that make Vulkan use it.
#
#     eval "$(bash scripts/install-swiftshader.sh)" && npx vitest run --config vitest.slow.config.ts test/slow/webgpu
set -euo pipefail
folder="${1:-$(cd "$(dirname "$0")/.." && pwd)/.cache/swiftshader}"
mkdir -p "$folder"
if [ ! -f "$folder/libvk_swiftshader.so" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && chmod 755 . && apt-get download -qq chromium-common 2>/dev/null >&2 && dpkg-deb -x chromium-common_*.deb unpacked)
  cp "$work"/unpacked/usr/lib/chromium/libvk_swiftshader.so "$folder/"
fi
ldconfig -p | grep -q libvulkan.so.1 || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libvulkan1 >&2
cat > "$folder/swiftshader.json" <<JSON
{ "file_format_version": "1.0.0", "ICD": { "library_path": "$folder/libvk_swiftshader.so", "api_version": "1.1.0" } }
JSON
echo "export VK_DRIVER_FILES='$folder/swiftshader.json' VK_ICD_FILENAMES='$folder/swiftshader.json'"
