/** Which graph is opened: what its own size allows, whatever else lies in the folder. */
import { renameSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { openGraph } from "../../../src/encoder/graph/graph-source.js";
import { DeviceError } from "../../../src/errors.js";
import { readModel, writeModel } from "../../../src/onnx/io/file.js";
import { makeOracleModel } from "../oracle-model.js";

const open = async (path: string, precision: "half" | "full") =>
  openGraph({ folder: await readModelFolder(path), precision, device: "cpu", threads: 1 });

it("computes in half precision beside large files that are not the graph's", async () => {
  const path = makeOracleModel("encoder.folded.onnx");
  writeFileSync(join(path, "pytorch_model.bin"), "");
  truncateSync(join(path, "pytorch_model.bin"), 2e9); // sparse: it takes no space
  const { sizeBytes, graph } = await readModelFolder(path);
  expect(sizeBytes).toBe(statSync(graph).size);
  const session = await open(path, "half");
  // the graph that was rewritten pools by itself
  expect(session.outputNames).toEqual(["embedding"]);
  await session.release();
});

it("counts weights beside the graph, and refuses half precision of what is too large for it", async () => {
  const path = makeOracleModel("encoder.folded.onnx");
  const { graph } = await readModelFolder(path);
  writeModel(await readModel(graph), graph, { externalData: "always" });
  const both = statSync(graph).size + statSync(`${graph}_data`).size;
  expect((await readModelFolder(path)).sizeBytes).toBe(both);
  truncateSync(`${graph}_data`, 1.9e9);
  await expect(open(path, "half")).rejects.toThrow(DeviceError);
  const session = await open(path, "full");
  expect(session.outputNames).toContain("last_hidden_state");
  await session.release();
  renameSync(`${graph}_data`, `${graph}.elsewhere`);
  expect((await readModelFolder(path)).sizeBytes).toBe(statSync(graph).size);
});
