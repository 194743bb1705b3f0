/** A damaged index or model ends in one line that names the file and the cure: no signal, no other answers; test/slow has 500 damages. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { damageAndOpen } from "./damages.js";
import { embeddedModel, expectClearErrors, importedModel, indexFolders } from "./trials.js";

const root = mkdtempSync(join(tmpdir(), "pearl-damage-trials-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("random damage ends in one line that names the file and the cure", () => {
  it.each(["hnsw", "exact"] as const)("in an index with the backend %s", async (backend) => {
    const folders = await indexFolders(root, backend);
    expectClearErrors(await damageAndOpen({ ...folders, count: 8, seed: 3 }));
  });

  it("in a model that pearl imported", async () => {
    expectClearErrors(await damageAndOpen({ ...(await importedModel(root)), count: 8, seed: 4 }));
  });

  it("in the default model", async () => {
    const folders = embeddedModel("pearl-mini", "pearl-strings");
    expectClearErrors(await damageAndOpen({ ...folders, count: 4, seed: 5 }));
  });
});
