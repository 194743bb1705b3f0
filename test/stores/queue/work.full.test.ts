/** What a worker and a submit make of work that was done before: on a real PostgreSQL. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageVersion } from "../../../src/files/package.js";
import { isPostgresAddress } from "../../../src/files/place.js";
import { writePart } from "../../../src/files/shards/part-file.js";
import { type Job, nameOf, queuedRun } from "../../../src/stores/queue/job.js";
import { JobQueue } from "../../../src/stores/queue/queue.js";
import { type RunJob, work } from "../../../src/stores/queue/work.js";
import { writeRows } from "../../../src/table/write/text-rows.js";
import { noServer, type Server, startServer } from "../postgres/server.js";

describe.skipIf(noServer !== undefined)("work that was done before", () => {
  let server: Server;
  let queue: JobQueue;
  beforeAll(async () => {
    server = await startServer();
    queue = await JobQueue.open(server.address);
    return () => queue.close();
  });
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });
  const newRun = (output = "out.npy") => {
    const folder = mkdtempSync(join(tmpdir(), "pearl-work-"));
    folders.push(folder);
    const command = { command: "encode", arguments: ["x.csv"], settings: {}, shards: 2, folder } as const;
    return queuedRun({ ...command, arguments: ["x.csv"], output }, {}, () => join(folder, "parts"));
  };
  const submit = (run: ReturnType<typeof newRun>) =>
    queue.submit(run, { expireInSeconds: 60, retryLimit: 0 });

  const merge = async ({ folder, output = "" }: Job): Promise<unknown> =>
    isPostgresAddress(output)
      ? writeRows(output, ["name"], [[["merged"]]])
      : writeFileSync(join(folder, output), "merged");

  /** Works with a model until no job is left. @returns what it did */
  async function workWith(model: string, { pearl = packageVersion(), fails = 0 } = {}): Promise<string[]> {
    const did: string[] = [];
    const run: RunJob = async (job, { output }) => {
      did.push(nameOf(job));
      if (job.index === fails && job.step === "shard") throw new Error("no");
      const shard = { index: job.index, count: job.shards };
      if (output === undefined) await merge(job);
      else await writePart(output, { ...job, pearl, model, shard, inputs: {} }, {});
      return { printed: nameOf(job), notes: "" };
    };
    const { signal } = new AbortController();
    await work(queue, run, { until: "empty", modelOf: async () => model, signal, onNote: () => {} });
    return did.sort();
  }

  it.each([
    ["the same model and device", "m on cpu", {}, ["shard 2/2", "the merge"]],
    ["another device", "m on cuda", {}, ["shard 1/2", "shard 2/2", "the merge"]],
    ["another pearl", "m on cpu", { pearl: "0.0.1" }, ["shard 1/2", "shard 2/2", "the merge"]],
  ])("is kept or done again: %s", async (_, model, before, expected) => {
    const run = newRun();
    await submit(run);
    await workWith("m on cpu", { fails: 2, ...before });
    expect(await submit(run)).toBe("new");
    expect(await workWith(model)).toEqual(expected);
  });

  it("is done again after its output was changed or removed alone", async () => {
    const run = newRun();
    const output = join(run.folder, "out.npy");
    await submit(run);
    await workWith("m");
    for (const change of [() => rmSync(output), () => writeFileSync(output, "mine")]) {
      expect(await submit(run)).toBe("done");
      expect(await queue.state(run.run)).toMatchObject({ open: 0, merged: { printed: "the merge" } });
      change();
      expect(await submit(run)).toBe("new");
      await workWith("m");
    }
  });

  it("is done again after its table in PostgreSQL was written anew or removed alone", async () => {
    const table = `${server.address}&table=joined`;
    const run = newRun(table);
    await submit(run);
    await workWith("m");
    const rewrite = () => writeRows(table, ["name"], [[["mine"]]]);
    for (const change of [() => server.sql("DROP TABLE joined"), rewrite]) {
      expect(await submit(run)).toBe("done");
      await change();
      expect(await submit(run)).toBe("new");
      await workWith("m");
    }
  });
});
