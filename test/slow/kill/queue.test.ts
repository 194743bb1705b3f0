/** kill -9 of the workers of a queue at random moments: the results are those of one run, byte for byte. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { entry, pearl } from "../../cli/run-cli.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";
import { folderWith, peopleTables, run } from "../shards/whole-and-shards.js";

const kills = 12;
const queue = ["--queue", "postgres://", "--shards", "5"];
const patient = ["--expire", "2", "--retries", "40"];

describe.skipIf(noServer !== undefined)("a queue of workers", () => {
  const random = createRandom(28);
  const cwd = folderWith(peopleTables(300, random));
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });

  const workers = new Set<ChildProcess>();
  afterAll(() => {
    for (const worker of workers) worker.kill("SIGKILL");
  });
  /** Starts a worker that takes jobs until it is asked to end. */
  function startWorker(): ChildProcess {
    const env = { ...process.env, ...server.environment };
    const words = [entry, "work", "postgres://", "--threads", "1", "--memory", "2g", "-q"];
    const worker = spawn(process.execPath, words, { cwd, env, stdio: "ignore" });
    workers.add(worker);
    return worker;
  }
  const ended = (child: ChildProcess) =>
    new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
  const submit = (...words: string[]) =>
    pearl(["submit", ...words, ...queue, "-q"], { cwd, environment: server.environment });

  /** The processes of this folder that do a job, with the worker of each. */
  const jobProcesses = (): { pid: number; parent: number }[] =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const isJob = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("job-process.js");
          if (!isJob || readlinkSync(`/proc/${pid}/cwd`) !== cwd) return [];
          const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
          return [{ pid: Number(pid), parent: Number(parent) }];
        } catch {
          return [];
        }
      });

  it(`whose workers are killed ${kills} times gives the bytes of one run`, async () => {
    const commands = {
      joined: ["join", "left.csv", "right.csv", "--on", "name", "-m", "pearl-strings"],
      deduped: ["dedupe", "right.csv", "-m", "pearl-strings", "--no-removed"],
      encoded: ["encode", "left.csv", "-c", "name", "-m", "pearl-strings"],
    };
    const each = Object.entries(commands);
    for (const [name, words] of each) await run(cwd, ...words, "-o", `${name}-whole.csv`);
    const submitted = each.map(([name, words]) => [...words, "-o", `${name}.csv`, ...patient]);
    for (const words of submitted)
      expect(await submit(...words)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^queued 5 shards/),
      });

    for (let worker = 0; worker < 4; worker++) startWorker();
    for (let kill = 0; kill < kills; kill++) {
      let busy: ChildProcess[] = [];
      for (; busy.length === 0; await sleep(20)) {
        const parents = jobProcesses().map(({ parent }) => parent);
        busy = [...workers].filter(({ pid }) => parents.includes(pid!));
      }
      await sleep(random() * 400);
      const worker = busy[Math.floor(random() * busy.length)];
      const gone = ended(worker);
      worker.kill("SIGKILL");
      await gone;
      workers.delete(worker);
      startWorker();
    }
    const waited = await Promise.all(submitted.map((words) => submit(...words, "--wait")));
    for (const [place, [name]] of each.entries()) {
      expect(waited[place]).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`wrote ${name}.csv: `),
      });
      const [whole, queued] = ["-whole", ""].map((kind) =>
        readFileSync(join(cwd, `${name}${kind}.csv`), "utf8"),
      );
      expect(queued, name).toBe(whole);
    }
    const [{ lost }] = await server.sql<{ lost: number }>(
      "SELECT sum(retry_count)::int AS lost FROM pearl_queue.job WHERE data->>'run' IS NOT NULL",
    );
    expect(lost).toBeGreaterThanOrEqual(kills / 2);
    expect(readdirSync(cwd).filter((name) => /parts|partial/.test(name))).toEqual([]);
    const codes = [...workers].map(ended);
    for (const worker of workers) worker.kill("SIGTERM");
    expect(await Promise.all(codes)).toEqual([0, 0, 0, 0]);
    workers.clear();
    // the jobs of killed workers ended with them
    while (jobProcesses().length > 0) await sleep(50);
  });

  it("does a job again whose process was killed, and names a shard that always fails", async () => {
    const words = [
      "encode",
      "right.csv",
      "-c",
      "name",
      "-m",
      "pearl-strings",
      "-o",
      "poisoned.csv",
      "--retries",
      "1",
    ];
    expect(await submit(...words)).toMatchObject({ code: 0 });
    const [{ parts }] = await server.sql<{ parts: string }>(
      "SELECT data->>'parts' AS parts FROM pearl_queue.job WHERE state = 'created' LIMIT 1",
    );
    // no part can be renamed to the name of a folder
    mkdirSync(join(parts, "4-of-5.part"), { recursive: true });
    const worker = startWorker();
    while (jobProcesses().length === 0) await sleep(20);
    process.kill(jobProcesses()[0].pid, "SIGKILL");
    const { code, stdout, stderr } = await submit(...words, "--wait");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^pearl: pearl encode right\.csv: shard 4\/5 failed: .*4-of-5\.part.* Correct this and submit the same command again: finished shards are kept\.\n$/,
    );
    rmdirSync(join(parts, "4-of-5.part"));
    expect(await submit(...words, "--wait")).toMatchObject({ code: 0 });
    await run(cwd, ...words.slice(0, 6), "-o", "calm.csv");
    expect(readFileSync(join(cwd, "poisoned.csv"), "utf8")).toBe(readFileSync(join(cwd, "calm.csv"), "utf8"));
    const gone = ended(worker);
    worker.kill("SIGTERM");
    expect(await gone).toBe(0);
    workers.clear();
  });
});
