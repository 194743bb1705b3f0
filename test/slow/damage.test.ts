/** Five hundred random damages of indexes and models: no signal, no other answers, one line with a cure for each. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { damageAndOpen, tally } from "../damage/damages.js";
import { embeddedModel, expectClearErrors, importedModel, indexFolders } from "../damage/trials.js";

const root = mkdtempSync(join(tmpdir(), "pearl-damage-slow-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("250 damages each", () => {
  it("of an index end in one line that names the file and the cure", async () => {
    const [graph, exact] = [await indexFolders(root, "hnsw"), await indexFolders(root, "exact")];
    const cases = [
      ...(await damageAndOpen({ ...graph, count: 175, seed: 11 })),
      ...(await damageAndOpen({ ...exact, count: 75, seed: 12 })),
    ];
    console.log("indexes", tally(cases));
    expectClearErrors(cases);
  });

  it("of a model folder end in one line that names the file and the cure", async () => {
    const [imported, mini] = [await importedModel(root), embeddedModel("pearl-mini", "pearl-strings")];
    const strings = embeddedModel("pearl-strings", "pearl-mini");
    const cases = [
      ...(await damageAndOpen({ ...imported, count: 130, seed: 13 })),
      ...(await damageAndOpen({ ...strings, count: 60, seed: 14 })),
      ...(await damageAndOpen({ ...mini, count: 60, seed: 15 })),
    ];
    console.log("models", tally(cases));
    expectClearErrors(cases);
  });
});
