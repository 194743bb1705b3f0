/** The embedded model for typing errors: small, the same everywhere, and it finds what was meant. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { embeddedModels } from "../../src/hub/locate.js";

const folder = "models/pearl-strings";

it("is embedded, and under 2 MB with its card", async () => {
  expect(await embeddedModels()).toContain("pearl-strings");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes).toBeLessThan(2e6);
});

it("finds the words that were meant, and gives the vectors that were recorded", async () => {
  const encoder = await PhraseEncoder.load("pearl-strings", { threads: 1 });
  const words = ["pharaoh", "receive", "deceive", "knowledge", "college", "Zaratiana", "rhythm", "INV-20391"];
  const wrong = ["farow", "recieve", "deceve", "nollige", "collage", "Zartaiana", "rythem", "INV-20931"];
  const scores = await encoder.similarity(wrong, words);
  expect(scores.map((row) => words[row.indexOf(Math.max(...row))])).toEqual(words);
  const [vector] = await encoder.encode(["receive"]);
  const [again] = await encoder.encode(["RECEIVE"]);
  await encoder.dispose();
  expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  const recorded = [-0.06281978636980057, 0.12556935846805573, -0.07220853120088577, -0.03545128181576729];
  for (const [i, value] of recorded.entries()) expect(vector[i]).toBeCloseTo(value, 5);
  expect(again).toEqual(vector);
});
