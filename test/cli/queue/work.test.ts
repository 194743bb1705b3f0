/** The process of a job ends with its worker's signal, whenever that comes. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inProcess } from "../../../src/cli/queue/work.js";
import { firstJobs, queuedRun } from "../../../src/stores/queue/job.js";

it("starts no process for a job that is stopped while its folder is made", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pearl-stopped-"));
  const command = { command: "encode", arguments: ["x.csv"], settings: {}, shards: 1, folder } as const;
  const [job] = firstJobs(queuedRun({ ...command, arguments: ["x.csv"] }, {}, () => join(folder, "parts")));
  const stop = new AbortController();
  const running = inProcess({ job, own: { device: "cpu", temp: folder } }, stop.signal);
  stop.abort();
  await expect(running).rejects.toHaveProperty("name", "AbortError");
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
