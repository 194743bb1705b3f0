/** The GPU benchmark's pack runs on a bare machine: a root with nothing but bash and coreutils, without a network. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../cli/run-cli.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-gpu-pack-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Makes a root of its own, $1, with the programs and libraries of a machine that has bash and coreutils. */
const bareRoot = `
set -euo pipefail
root="$1"
mkdir -p "$root"/{usr/bin,usr/lib/x86_64-linux-gnu,usr/lib64,proc,dev,tmp,home}
ln -s usr/bin "$root/bin"; ln -s usr/lib "$root/lib"; ln -s usr/lib64 "$root/lib64"
touch "$root"/dev/{null,urandom}
keep() { [ "$(basename "$1")" = ld-linux-x86-64.so.2 ] && cp -L "$1" "$root/lib64/" || cp -L "$1" "$root/usr/lib/x86_64-linux-gnu/"; }
for name in bash readlink dirname basename mkdir mktemp rm timeout cat ln env; do
  cp -L "$(type -P "$name")" "$root/usr/bin/"
  for library in $(ldd "$(type -P "$name")" | grep -oE '/[^ ]+\\.so[^ ]*'); do keep "$library"; done
done
glibc="$(dirname "$(ldd /bin/bash | grep -oE '/[^ ]+/libc\\.so\\.6')")"
for name in libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1; do keep "$glibc/$name"; done
`;

/** Runs the lines $2 in the root $1: processes, mounts and network of its own, and no variable of this process. */
const inRoot = `
set -euo pipefail
mount -t proc proc "$1/proc"
for device in null urandom; do mount --bind "/dev/$device" "$1/dev/$device"; done
exec env -i PATH=/usr/bin:/usr/sbin HOME=/home VK_DRIVER_FILES=/swiftshader/driver.json chroot "$1" /usr/bin/bash -c "$2"
`;
const namespaces = ["--net", "--mount", "--pid", "--fork"];
if (process.getuid?.() !== 0) namespaces.push("--map-root-user");
const bare = (root: string, lines: string) =>
  run("unshare", [...namespaces, "bash", "-c", inRoot, "bash", root, lines]);

/** The folder of SwiftShader's library (scripts/install-swiftshader.sh). */
function swiftShader(): string | undefined {
  const driver = process.env.VK_DRIVER_FILES;
  if (driver === undefined || !driver.includes("swiftshader")) return undefined;
  return dirname(JSON.parse(readFileSync(driver, "utf8")).ICD.library_path);
}

const root = join(folder, "root");

async function whyNot(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return "the pack is for Linux on x64";
  if (swiftShader() === undefined) return "no SwiftShader: scripts/install-swiftshader.sh";
  const made = await run("bash", ["-c", bareRoot, "bash", root]);
  if (made.code !== 0) return `no bare root: ${made.stderr}`;
  const { stdout, stderr } = await bare(root, "echo alone");
  return stdout === "alone\n" ? undefined : `this user may not make a root of its own: ${stderr.trim()}`;
}

const reason = await whyNot();
if (reason) console.log(`skipped: ${reason}`);

it("run.sh ends within eight minutes: its limits add up to no more", () => {
  const table = /declare -A limits=\(([^)]*)\)/.exec(readFileSync("benchmarks/gpu/run.sh", "utf8"));
  const limits = [...(table?.[1] ?? "").matchAll(/\[([\w ]+)\]=(\d+)/g)].map(([, , seconds]) =>
    Number(seconds),
  );
  expect(limits.length).toBeGreaterThan(15);
  expect(limits.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThanOrEqual(480);
});

type Row = Record<string, unknown>;

describe.skipIf(reason !== undefined)(
  "the pack of the GPU benchmark, in a bare root without a network",
  () => {
    const archive = join(folder, "pearl-gpu.tar.xz");
    let result: Record<string, Row[]>;
    let summary: string;
    beforeAll(async () => {
      const packed = await run("bash", ["benchmarks/gpu/pack.sh", archive]);
      expect(packed, packed.stderr).toMatchObject({ code: 0 });
      expect(await run("tar", ["-xJf", archive, "-C", root])).toMatchObject({ code: 0 });
      cpSync(swiftShader() as string, join(root, "swiftshader"), { recursive: true });
      const driver = { library_path: "/swiftshader/libvk_swiftshader.so", api_version: "1.1.0" };
      const description = { file_format_version: "1.0.0", ICD: driver };
      writeFileSync(join(root, "swiftshader", "driver.json"), JSON.stringify(description));
      mkdirSync(join(root, "results"));
      const ran = await bare(root, "cd /tmp && /pearl-gpu/run.sh --tiny /results");
      console.log(ran.stdout);
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      result = JSON.parse(readFileSync(join(root, "results", "gpu.json"), "utf8"));
      summary = readFileSync(join(root, "results", "summary.txt"), "utf8");
    }, 3_000_000);

    const rowsOf = (kind: string, wanted: Row): Row[] =>
      result[kind].filter((row) => Object.entries(wanted).every(([key, value]) => row[key] === value));

    it("is at most 60 MiB", () => {
      const size = statSync(archive).size;
      console.log(`packed: ${Math.round(size / 1024)} KiB`);
      expect(size).toBeLessThanOrEqual(60 * 2 ** 20);
    });

    it("brings the libraries that the machine lacks", () => {
      expect(String(result.notes)).toMatch(/libraries of the pack.*libvulkan\.so\.1/);
      expect(String(result.notes)).toMatch(/libraries of the pack.*libstdc\+\+\.so\.6/);
    });

    it("finds that WebGPU works, and why CUDA does not", () => {
      expect(rowsOf("devices", { device: "cpu", works: true })).toHaveLength(1);
      expect(rowsOf("devices", { device: "webgpu", works: true })).toHaveLength(1);
      const [cuda] = rowsOf("devices", { device: "cuda" });
      expect(cuda).toMatchObject({ works: false, failed: expect.stringContaining("CUDA libraries") });
    });

    it("gives the CPU's vectors, gradients and losses on WebGPU", () => {
      for (const what of ["vectors", "gradients", "losses"]) {
        const [row] = rowsOf("parity", { device: "webgpu", what });
        expect(row, what).toMatchObject({ held: true });
        expect(row.difference, what).toBeLessThanOrEqual(row.limit as number);
      }
      const [{ losses, cpu }] = rowsOf("parity", { what: "losses" }) as { losses: number[]; cpu: number[] }[];
      expect(losses).toHaveLength(6);
      expect(losses[5]).toBeLessThan(losses[0]);
      losses.forEach((loss, step) => expect(loss).toBeCloseTo(cpu[step], 3));
    });

    it("measures encoding on both devices", () => {
      for (const device of ["cpu", "webgpu"])
        for (const shape of ["e5-small", "bert-base"])
          for (const lengths of ["mixed", "fixed"]) {
            const rows = rowsOf("encode", { device, shape, lengths, precision: "fp32" });
            expect(rows.length, `${device} ${shape} ${lengths}`).toBeGreaterThanOrEqual(3);
            for (const { seconds } of rows) expect(seconds).toBeGreaterThan(0);
          }
      // SwiftShader has no 16-bit floats; a row says so
      expect(rowsOf("encode", { device: "webgpu", precision: "fp16" })).not.toEqual([]);
    });

    it("measures training steps on both devices, which start at the same loss", () => {
      const cases = ["fixed", "real", "pearl", "cache"].map((batch) => ["e5-small", batch]);
      for (const [shape, batch] of [...cases, ["bert-base", "fixed"], ["bert-base", "pearl"]]) {
        const [cpu, webgpu] = ["cpu", "webgpu"].map((device) => rowsOf("train", { device, shape, batch })[0]);
        for (const row of [cpu, webgpu]) expect(row?.seconds, `${shape} ${batch}`).toBeGreaterThan(0);
        expect(webgpu.firstLoss).toBeCloseTo(cpu.firstLoss as number, 4);
      }
      for (const { chunks } of rowsOf("train", { batch: "cache" })) expect(chunks).toBeGreaterThan(1);
    });

    it("ends every phase, and sums up without a figure that was not measured", () => {
      expect(result.phases.filter(({ code }) => code !== 0)).toEqual([]);
      expect(result.memory.map(({ phase }) => phase)).toEqual(expect.arrayContaining(["encode", "train"]));
      expect(result.goals.map(({ reached }) => reached)).toEqual(Array(3).fill("not measured"));
      expect(result.torch).toEqual([]);
      expect(summary).toMatch(/^ {2}.*"webgpu","what":"gradients",.*"limit":0\.001,"held":true/m);
    });
  },
);
