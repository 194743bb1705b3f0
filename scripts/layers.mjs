/**
 * Writes the import rules of biome.json from one list of layers. A room is a folder of src/; it may import
 * itself and rooms of lower layers. Run it, then
 * `npx biome format --write biome.json`.
 */

import { readFile, writeFile } from "node:fs/promises";

/** Layers from bottom to top. Rooms of one layer do not import each other. */
const layers = [
  ["files"],
  ["onnx", "text", "table"],
  ["runtime"],
  ["nn", "autodiff"],
  ["architectures"],
  ["training", "hub"],
  ["encoder"],
  ["search"],
  ["match", "pearl"],
  ["join", "group", "corpus"],
  ["plot"],
  ["benchmark"],
  ["methods"],
  ["cli"],
];

/** Globs of imports of a room from a file at most three folders deep. */
const pathsTo = (room) => ["../", "../../", "../../../"].map((up) => `${up}${room}/**`);

const overrides = layers.slice(0, -1).flatMap((rooms, level) =>
  rooms.map((room) => {
    const sameLayer = rooms.filter((other) => other !== room);
    const forbidden = [...sameLayer, ...layers.slice(level + 1).flat()];
    return {
      includes: [`src/${room}/**`],
      linter: {
        rules: {
          style: {
            noRestrictedImports: {
              level: "error",
              options: {
                patterns: [
                  {
                    group: forbidden.flatMap(pathsTo),
                    message: `src/${room} may not import this room: imports point down (scripts/layers.mjs).`,
                  },
                ],
              },
            },
          },
        },
      },
    };
  }),
);

const path = new URL("../biome.json", import.meta.url);
const config = JSON.parse(await readFile(path, "utf8"));
// The outer describe of a test file may be long.
const tests = {
  includes: ["test/**"],
  linter: { rules: { complexity: { noExcessiveLinesPerFunction: "off" } } },
};
config.overrides = [...overrides, tests];
await writeFile(path, `${JSON.stringify(config, null, 2)}\n`);
