/** The same vectors from the native runtime and from WebAssembly, each in a process of its own. */
import { expect } from "vitest";
import { runNode } from "../cli/run-cli.js";

/** Environment of a process that computes in WebAssembly. */
export const web = { PEARL_RUNTIME: "web" };
const library = new URL("../../dist/index.js", import.meta.url).href;

async function vectors(options: object, environment: Record<string, string>): Promise<number[][]> {
  const program = `
    import { PhraseEncoder } from ${JSON.stringify(library)};
    const encoder = await PhraseEncoder.load(undefined, ${JSON.stringify(options)});
    const rows = await encoder.encode(["The New York Times", "Zurich", "", "café au lait", "IBM Corp."]);
    console.log(JSON.stringify(rows.map((row) => Array.from(row))));
    await encoder.dispose();`;
  const outcome = await runNode(["--input-type=module", "-e", program], { environment });
  expect(outcome.stderr).toBe("");
  return JSON.parse(outcome.stdout);
}

/** The largest difference of a number between the two. @param options of `PhraseEncoder.load` */
export async function differenceInWebAssembly(options: object): Promise<number> {
  const [native, wasm] = await Promise.all([vectors(options, {}), vectors(options, web)]);
  return Math.max(...native.flatMap((row, i) => row.map((value, j) => Math.abs(value - wasm[i][j]))));
}
