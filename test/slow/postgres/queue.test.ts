/** Workers and the queue on a real PostgreSQL: each job ends once, whatever happens to those that do it. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MissingDataError, ShardError, UsageError } from "../../../src/errors.js";
import { packageVersion } from "../../../src/files/package.js";
import { writePart } from "../../../src/files/shards/part-file.js";
import { type Job, nameOf, type QueuedRun, queuedRun } from "../../../src/stores/queue/job.js";
import { JobQueue } from "../../../src/stores/queue/queue.js";
import { waitForRun } from "../../../src/stores/queue/wait.js";
import { type RunJob, work } from "../../../src/stores/queue/work.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";

describe.skipIf(noServer !== undefined)("a queue", () => {
  let server: Server;
  let queue: JobQueue;
  const folder = mkdtempSync(join(tmpdir(), "pearl-queue-"));
  beforeAll(async () => {
    server = await startServer();
    queue = await JobQueue.open(server.address);
  });
  afterAll(async () => {
    await queue.close();
    rmSync(folder, { recursive: true, force: true });
  });

  let runs = 0;
  const newRun = (command: "encode" | "join", shards: number): QueuedRun => {
    const place = join(folder, String(runs++));
    mkdirSync(place);
    return queuedRun(
      { command, arguments: ["x.csv"], settings: {}, shards, folder: place },
      { "x.csv": "1" },
      () => join(place, "parts"),
    );
  };
  const limits = { expireInSeconds: 60, retryLimit: 0 };

  /** Writes parts, notes what it did, and fails where it is told to. */
  const recorder = (fails: (job: Job) => string | Error | undefined = () => undefined) => {
    const did: string[] = [];
    const run: RunJob = async (job, { output, learned, parts }) => {
      did.push(nameOf(job));
      const trouble = fails(job);
      if (trouble !== undefined) throw typeof trouble === "string" ? new Error(trouble) : trouble;
      if (output === undefined) return { printed: `merged ${parts?.length}\n`, notes: "" };
      expect(learned !== undefined).toBe(job.command === "join" && job.step === "shard");
      const shard = { index: job.index, count: job.shards };
      await writePart(output, { pearl: packageVersion(), ...job, shard, inputs: {} }, {});
      return { printed: "", notes: "" };
    };
    return { did, run };
  };
  const options = { until: "empty", modelOf: async () => undefined, onNote: () => {} } as const;
  const workThrough = (run: RunJob, others = {}) =>
    work(queue, run, { ...options, signal: new AbortController().signal, ...others });
  const waitFor = (run: QueuedRun, onNote: (note: string) => void = () => {}) =>
    waitForRun(queue, run, { signal: new AbortController().signal, onNote, onProgress: () => {} });

  it("does the first pass, all shards, and one merge after them", async () => {
    const run = newRun("join", 3);
    expect(await queue.submit(run, limits)).toBe("new");
    const { did, run: doing } = recorder();
    expect(await workThrough(doing)).toBe(5);
    expect([did[0], did[4]]).toEqual(["the first pass", "the merge"]);
    expect(did.slice(1, 4).sort()).toEqual(["shard 1/3", "shard 2/3", "shard 3/3"]);
    expect(await waitFor(run)).toEqual({ printed: "merged 3\n", notes: "" });
  });

  it("is made once where several processes come first at the same moment", async () => {
    for (const database of ["first", "second"]) {
      await server.sql(`CREATE DATABASE ${database}`);
      const address = server.address.replace("/postgres?", `/${database}?`);
      const opened = await Promise.all([1, 2, 3, 4, 5].map(() => JobQueue.open(address)));
      await opened[0].submit(newRun("encode", 1), limits);
      expect(await opened[4].isEmpty()).toBe(false);
      for (const one of opened) await one.close();
    }
  });

  it("enqueues a run once, however often it is submitted, and anew when it is over", async () => {
    const run = newRun("encode", 4);
    const submitted = await Promise.all([1, 2, 3].map(() => queue.submit(run, limits)));
    expect(submitted.sort()).toEqual(["continued", "continued", "new"]);
    expect(await workThrough(recorder().run)).toBe(5);
    expect(await queue.submit(run, limits)).toBe("new");
    expect(await workThrough(recorder().run)).toBe(5);
  });

  it("keeps a shard that fails each time as failed, and does only that one again", async () => {
    const run = newRun("encode", 4);
    await queue.submit(run, { ...limits, retryLimit: 1 });
    const poisoned = recorder(({ index }) => (index === 3 ? "x.csv: row 7 is bad." : undefined));
    const claim = expect(waitFor(run)).rejects.toThrow(
      new ShardError(
        "pearl encode x.csv: shard 3/4 failed: x.csv: row 7 is bad. Correct this and submit the same command again: finished shards are kept.",
      ),
    );
    await workThrough(poisoned.run);
    await claim;
    expect(poisoned.did.filter((name) => name === "shard 3/4")).toHaveLength(2);
    expect(poisoned.did).not.toContain("the merge");
    expect(await queue.submit(run, limits)).toBe("new");
    const cured = recorder();
    await workThrough(cured.run);
    expect(cured.did).toEqual(["shard 3/4", "the merge"]);
    expect((await waitFor(run)).printed).toBe("merged 4\n");
  });

  it("does not do a shard of wrong usage again", async () => {
    const run = newRun("encode", 2);
    await queue.submit(run, { ...limits, retryLimit: 3 });
    const wrong = recorder(({ index }) => (index === 1 ? new UsageError("unknown option --no") : undefined));
    const claim = expect(waitFor(run)).rejects.toThrow("shard 1/2 failed: unknown option --no");
    await workThrough(wrong.run);
    await claim;
    expect(wrong.did.filter((name) => name === "shard 1/2")).toHaveLength(1);
  });

  it("begins a failed shard again while others are being done", async () => {
    const run = newRun("encode", 2);
    await queue.submit(run, limits);
    const [first, second] = [(await queue.take())!, (await queue.take())!];
    await queue.fail(first, "disk full");
    expect((await queue.state(run.run)).dead).toHaveLength(1);
    expect(await queue.submit(run, limits)).toBe("continued");
    expect(await queue.state(run.run)).toMatchObject({ open: 2, active: 1, dead: [] });
    await queue.release(second);
    expect(await workThrough(recorder().run)).toBe(3);
  });

  it("gives the job of a silent worker to another, whose job the first one can no longer end", async () => {
    const run = newRun("encode", 1);
    await queue.submit(run, { expireInSeconds: 1, retryLimit: 3 });
    const lost = (await queue.take())!;
    await sleep(1100);
    await queue.expire();
    let again = await queue.take();
    for (; again === undefined; again = await queue.take()) await sleep(200);
    expect(again).toMatchObject({ id: lost.id, retryCount: lost.retryCount + 1 });
    const late = [
      queue.touch(lost),
      queue.complete(lost, { printed: "", notes: "" }),
      queue.fail(lost, "late"),
    ];
    expect(await Promise.all([...late, queue.release(lost)])).toEqual([false, false, false, false]);
    expect(await queue.touch(again)).toBe(true);
    await queue.release(again);
    expect(await workThrough(recorder().run)).toBe(2);
  });

  it("leaves a job to the worker that is at it for longer than the job's time", async () => {
    const run = newRun("encode", 1);
    await queue.submit(run, { expireInSeconds: 60, retryLimit: 0 });
    const held = (await queue.take())!;
    const age = `UPDATE pearl_queue.job SET started_on = now() - interval '2 minutes' WHERE id = '${held.id}'`;
    await server.sql(age);
    expect(await queue.touch(held)).toBe(true);
    await queue.expire();
    expect(await queue.state(run.run)).toMatchObject({ active: 1, dead: [] });
    await server.sql(age);
    await queue.expire();
    expect(await queue.state(run.run)).toMatchObject({ active: 0, dead: [{ job: { index: 1 } }] });
  });

  it("hears of a job for as long as it is being done", async () => {
    const run = newRun("encode", 1);
    await queue.submit(run, { expireInSeconds: 3, retryLimit: 9 });
    const { did, run: doing } = recorder();
    const watched: RunJob = async (...given) => {
      const heard = new Set<string>();
      while (given[0].step === "shard" && heard.size < 3) {
        const active = "SELECT started_on::text AS at FROM pearl_queue.job WHERE state = 'active'";
        for (const { at } of await server.sql<{ at: string }>(active)) heard.add(at);
        await sleep(50);
      }
      return doing(...given);
    };
    expect(await workThrough(watched)).toBe(2);
    expect(did).toEqual(["shard 1/1", "the merge"]);
  });

  it("names a shard whose workers all died", async () => {
    const run = newRun("encode", 1);
    await queue.submit(run, { expireInSeconds: 1, retryLimit: 0 });
    await queue.take();
    await expect(waitFor(run)).rejects.toThrow(
      "pearl encode x.csv: shard 1/1 failed: its worker was killed, or ran out of memory. Correct this",
    );
  });

  it("takes a job back from a worker that is asked to end, and does not count it", async () => {
    const run = newRun("encode", 1);
    await queue.submit(run, limits);
    const asked = new AbortController();
    let wasKilled = false;
    const endless: RunJob = (_, __, stop) => {
      setTimeout(() => asked.abort(), 50);
      return new Promise((_resolve, reject) =>
        stop.addEventListener("abort", () => {
          wasKilled = true;
          reject(new Error("killed"));
        }),
      );
    };
    expect(await workThrough(endless, { signal: asked.signal })).toBe(0);
    expect(wasKilled).toBe(true);
    expect(await workThrough(recorder().run)).toBe(2);
  });

  it("merges once where the last shards end at the same moment", async () => {
    const other = await JobQueue.open(server.address);
    for (let round = 0; round < 4; round++) {
      const run = newRun("encode", 2);
      await queue.submit(run, limits);
      const [first, second] = [(await queue.take())!, (await other.take())!];
      const nothing = { printed: "", notes: "" };
      await Promise.all([queue.complete(first, nothing), other.complete(second, nothing)]);
      const merge = (await queue.take())!;
      expect(nameOf(merge.job)).toBe("the merge");
      expect(await queue.take()).toBeUndefined();
      await queue.complete(merge, nothing);
    }
    await other.close();
  });

  it("ends a worker that does not see a job's folder, and leaves the job to others", async () => {
    const run = newRun("encode", 1);
    await queue.submit(run, limits);
    rmSync(run.folder, { recursive: true });
    const blind = workThrough(recorder().run);
    await expect(blind).rejects.toThrow(MissingDataError);
    await expect(blind).rejects.toThrow(/which is not on this machine\. Make it available there/);
    mkdirSync(run.folder);
    expect(await workThrough(recorder().run)).toBe(2);
  });

  it("refuses what another program put into it, and works on", async () => {
    const run = newRun("encode", 1);
    const values = `gen_random_uuid(), 'pearl-${packageVersion()}', '{"command": "rm"}', 0`;
    await server.sql(`INSERT INTO pearl_queue.job (id, name, data, retry_limit) VALUES (${values})`);
    await queue.submit(run, limits);
    expect(await workThrough(recorder().run)).toBe(2);
    const [{ output }] = await server.sql<{ output: { message: string } }>(
      `SELECT output FROM pearl_queue.job WHERE data->>'command' = 'rm'`,
    );
    expect(output.message).toMatch(/^a job of the queue: field/);
  });

  it("names the first shards where many fail, with the error of one", async () => {
    const run = newRun("encode", 7);
    await queue.submit(run, limits);
    const claim = expect(waitFor(run)).rejects.toThrow(
      "shard 1/7, shard 2/7, shard 3/7, shard 4/7, shard 5/7 and 2 more failed; the first one: no shard 1. Correct",
    );
    await workThrough(recorder(({ index }) => `no shard ${index}.`).run);
    await claim;
  });

  it("says that a run's jobs are gone", async () => {
    const run = newRun("encode", 1);
    await queue.submit(run, limits);
    await server.sql("DELETE FROM pearl_queue.job WHERE state = 'created'");
    await expect(waitFor(run)).rejects.toThrow(
      "its jobs were removed from the queue. Submit the command again.",
    );
  });

  it("continues where the server restarts", async () => {
    const run = newRun("join", 3);
    await queue.submit(run, limits);
    const notes: string[] = [];
    const own = await JobQueue.open(server.address, { onNote: (note) => notes.push(note) });
    const { did, run: doing } = recorder();
    const disturbed: RunJob = async (...given) => {
      if (given[0].index === 2) server.control("restart", "-m", "immediate");
      return doing(...given);
    };
    const { signal } = new AbortController();
    expect(await work(own, disturbed, { ...options, signal })).toBe(5);
    expect(did).toHaveLength(5);
    expect(notes.join("\n")).toMatch(/Connecting again in 1 s/);
    await own.close();
  });
});
