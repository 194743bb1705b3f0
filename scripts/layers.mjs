/**
 * The layers of src/, and the import rules that follow from them. A room is a folder of src/; it may import itself and
 * rooms of lower layers. `node scripts/layers.mjs && npx biome format --write biome.json` writes the rules.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Layers from bottom to top. Rooms of one layer do not import each other. */
export const layers = [
  ["files"],
  ["onnx", "text"],
  ["table"],
  ["runtime"],
  ["nn", "autodiff"],
  ["architectures", "objectives"],
  ["training", "hub"],
  ["encoder"],
  ["stores"],
  ["search"],
  ["match", "pearl"],
  ["join", "group", "corpus", "augmentation"],
  ["plot", "link", "fewshot", "serve", "web"],
  ["benchmark"],
  ["methods"],
  ["cli"],
];

/** Globs of imports of a room from a file at most four folders deep. */
const pathsTo = (/** @type {string} */ room) =>
  [1, 2, 3, 4].map((depth) => `${"../".repeat(depth)}${room}/**`);

/** Overrides for biome.json: a rule for each room, and what does not hold for tests. */
export function overrides() {
  const rules = layers.slice(0, -1).flatMap((rooms, level) =>
    rooms.map((room) => {
      const sameLayer = rooms.filter((other) => other !== room);
      const group = [...sameLayer, ...layers.slice(level + 1).flat()].flatMap(pathsTo);
      const message = `src/${room} may not import this room: imports point down (scripts/layers.mjs).`;
      const noRestrictedImports = { level: "error", options: { patterns: [{ group, message }] } };
      return { includes: [`src/${room}/**`], linter: { rules: { style: { noRestrictedImports } } } };
    }),
  );
  const long = { complexity: { noExcessiveLinesPerFunction: "off" } };
  // The outer describe of a test file may be long; these two scripts are one procedure each, read from top to bottom.
  const includes = ["test/**", "benchmarks/train-speed.mjs", "scripts/make-e5-shape.mjs"];
  return [...rules, { includes, linter: { rules: long } }];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = new URL("../biome.json", import.meta.url);
  const config = JSON.parse(await readFile(path, "utf8"));
  config.overrides = overrides();
  await writeFile(path, `${JSON.stringify(config, null, 2)}\n`);
}
