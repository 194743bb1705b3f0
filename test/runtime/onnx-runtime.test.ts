/** The WebAssembly runtime, which stands in where onnxruntime-node is not installed; test/slow/runtimes trains with it. */
import { describe, expect, it } from "vitest";
import { pearl, runNode } from "../cli/run-cli.js";

const web = { PEARL_RUNTIME: "web" };
const library = new URL("../../dist/index.js", import.meta.url).href;

async function vectors(environment: Record<string, string>): Promise<number[][]> {
  const program = `
    import { PhraseEncoder } from ${JSON.stringify(library)};
    const encoder = await PhraseEncoder.load(undefined, { threads: 1 });
    const rows = await encoder.encode(["The New York Times", "Zurich", "", "café au lait", "IBM Corp."]);
    console.log(JSON.stringify(rows.map((row) => Array.from(row))));
    await encoder.dispose();`;
  const outcome = await runNode(["--input-type=module", "-e", program], { environment });
  expect(outcome.stderr).toBe("");
  return JSON.parse(outcome.stdout);
}

const largestDifference = (a: number[][], b: number[][]): number =>
  Math.max(...a.flatMap((row, i) => row.map((value, j) => Math.abs(value - b[i][j]))));

describe("without onnxruntime-node", () => {
  it("gives native vectors", async () => {
    const [native, wasm] = await Promise.all([vectors({}), vectors(web)]);
    expect(largestDifference(native, wasm)).toBeLessThan(1e-6);
  });

  it("refuses a device that only the native runtime has", async () => {
    const { code, stderr } = await pearl(["encode", "data/phrases.txt", "-o", "-", "--device", "webgpu"], {
      environment: web,
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain("device webgpu does not work here: it needs onnxruntime-node");
  });
});
