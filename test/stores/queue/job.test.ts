/** Which jobs a run has, in which order, and what a worker accepts as a job. */
import { describe, expect, it } from "vitest";
import { StoreError } from "../../../src/errors.js";
import {
  checkJob,
  firstJobs,
  type Job,
  nameOf,
  nextJobs,
  partOf,
  partsOf,
  queuedRun,
} from "../../../src/stores/queue/job.js";

const command = (name: "encode" | "join") => ({
  ...{ command: name, arguments: ["a.csv"], settings: { precision: 0.9 }, shards: 3 },
  ...{ folder: "/tables", output: "out.csv" },
});
const runOf = (name: "encode" | "join", inputs = { "a.csv": "11" }) =>
  queuedRun(command(name), inputs, (run) => `/tables/${run}`);

/** All jobs of a run as one worker does them, and the unfinished shards of each moment. */
function inOrder(first: readonly Job[]): string[] {
  const waiting = [...first];
  const done: string[] = [];
  for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
    done.push(nameOf(job));
    const left = waiting.filter(({ step }) => step === "shard").length;
    waiting.push(...nextJobs(job, left));
  }
  return done;
}

describe("the jobs of a run", () => {
  it("are its shards, then one merge; before them a first pass where the command has one", () => {
    const shards = ["shard 1/3", "shard 2/3", "shard 3/3", "the merge"];
    expect(inOrder(firstJobs(runOf("encode")))).toEqual(shards);
    expect(inOrder(firstJobs(runOf("join")))).toEqual(["the first pass", ...shards]);
  });

  it("write parts of different names, and the merge reads those of all shards", () => {
    const [learn] = firstJobs(runOf("join"));
    const names = [learn, ...nextJobs(learn, 0)].map(partOf);
    expect(names).toEqual(["learned.part", "1-of-3.part", "2-of-3.part", "3-of-3.part"]);
    expect(partsOf(learn)).toEqual(names.slice(1));
  });

  it("have the same identity for the same command on the same tables, and another one otherwise", () => {
    const { run, parts } = runOf("join");
    expect(runOf("join").run).toBe(run);
    expect(parts).toBe(`/tables/${run}`);
    expect(new Set([run, runOf("encode").run, runOf("join", { "a.csv": "12" }).run]).size).toBe(3);
  });
});

describe("a worker", () => {
  it("takes a job that went through JSON", () => {
    const [job] = firstJobs(runOf("encode"));
    expect(checkJob(JSON.parse(JSON.stringify(job)))).toEqual(job);
  });

  it("refuses a command that is not for queues, and what is no job", () => {
    const [job] = firstJobs(runOf("encode"));
    for (const wrong of [{ ...job, command: "link" }, { ...job, shards: "3" }, {}, null, "rm"])
      expect(() => checkJob(wrong)).toThrow(StoreError);
    expect(() => checkJob({ ...job, command: "link" })).toThrow(
      /^a job of the queue: field "command": .* Submit its command again\.$/,
    );
  });
});
