/** Writes the import-order rules of biome.json from one list of layers: a room may import its own layer and those below. */
import { readFile, writeFile } from "node:fs/promises";

const layers = [
  ["onnx"],
  ["nn", "autodiff", "runtime", "text"],
  ["corpus", "search", "encoder", "table"],
  ["benchmark", "join", "training", "plot"],
  ["cli"],
];

const overrides = layers.slice(0, -1).flatMap((rooms, level) => {
  const above = layers.slice(level + 1).flat();
  return rooms.map((room) => ({
    includes: [`src/${room}/**`],
    linter: {
      rules: {
        style: {
          noRestrictedImports: {
            level: "error",
            options: {
              patterns: [
                {
                  group: above.flatMap((name) => [`../${name}/**`, `../../${name}/**`]),
                  message: `src/${room} lies below: imports point down (scripts/layers.mjs).`,
                },
              ],
            },
          },
        },
      },
    },
  }));
});

const path = new URL("../biome.json", import.meta.url);
const config = JSON.parse(await readFile(path, "utf8"));
// A test file's outer describe is as long as its claims are many.
const tests = {
  includes: ["test/**"],
  linter: { rules: { complexity: { noExcessiveLinesPerFunction: "off" } } },
};
config.overrides = [...overrides, tests];
await writeFile(path, `${JSON.stringify(config, null, 2)}\n`);
