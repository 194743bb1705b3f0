/** Messages of finetune and of its checkpoints: each names a cure, which is applied and works. */
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { packageVersion } from "../../../../src/files/package.js";
import { type FinetuneOptions, finetune } from "../../../../src/methods/pairs/finetune.js";
import { makeOracleModel } from "../../../encoder/oracle-model.js";
import { newFolder } from "../../../setup/new-folder.js";
import { somePairs, writeTable } from "../../../training/pairs-folder.js";
import { mountSmallDisk } from "../../small-disk.js";

// an older pearl is this one under another version
vi.mock("../../../../src/files/package.js", async (load) => {
  const all = await load<typeof import("../../../../src/files/package.js")>();
  return { ...all, packageVersion: vi.fn(all.packageVersion) };
});

const phrases = () =>
  writeTable(
    somePairs(20).map(([text]) => [text]),
    ["phrase"],
  );
const start = (more: Partial<FinetuneOptions> = {}): FinetuneOptions & { output: string } => ({
  base: makeOracleModel("encoder.folded.onnx"),
  pairs: phrases(),
  output: join(newFolder(), "tuned"),
  steps: 4,
  learningRate: 1e-3,
  view: "cutoff",
  ...more,
});
const trained = (options: FinetuneOptions, resumedAt = 0) =>
  expect(finetune(options)).resolves.toMatchObject({ resumedAt });

/** Ends a run after a step, with a checkpoint. */
async function stopAt(last: number, options: ReturnType<typeof start>): Promise<void> {
  const stop = new AbortController();
  const onStep = ({ step }: { step: number }) => step === last && stop.abort();
  await expect(finetune({ ...options, signal: stop.signal, onStep })).rejects.toThrow("aborted");
}

const small = join(newFolder(), "small");
const { isMounted } = mountSmallDisk(small, "64m");

describe("the cure in a message", () => {
  it("of dropout without a place works: another view, or a dropout", async () => {
    const options = start({ view: "dropout", dropout: 0, steps: 1 });
    await expect(finetune(options)).rejects.toThrow(
      /Use --view cutoff for .*, or give it dropout: --set dropout=0\.1\.$/,
    );
    await trained({ ...options, view: "cutoff", output: join(newFolder(), "cutoff") });
    await trained({ ...options, dropout: 0.1, output: join(newFolder(), "dropout") });
  });

  it.each(["same value", "start over"])("of a checkpoint of another run works: %s", async (cure) => {
    const options = start();
    await stopAt(2, options);
    await expect(finetune({ ...options, learningRate: 2e-3, resume: "continue" })).rejects.toThrow(
      "Use the same value, or start over without resuming.",
    );
    if (cure === "same value") await trained({ ...options, resume: "continue" }, 2);
    else await trained({ ...options, learningRate: 2e-3 });
  });

  it.each(["as many steps", "start over"])("of a checkpoint beyond the last step works: %s", async (cure) => {
    const options = start();
    await stopAt(3, options);
    await expect(finetune({ ...options, steps: 2, resume: "continue" })).rejects.toThrow(
      "Take at least as many steps as the checkpoint has, or start over without resuming.",
    );
    if (cure === "as many steps") await trained({ ...options, steps: 3, resume: "continue" }, 3);
    else await trained({ ...options, steps: 2 });
  });

  it.each(["older version", "start over"])("of a checkpoint of another version works: %s", async (cure) => {
    const options = start();
    const asOlder = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const version = vi.mocked(packageVersion).mockReturnValue("0.0.1");
      return work().finally(() => version.mockReset());
    };
    await asOlder(() => stopAt(2, options));
    const resumed = { ...options, resume: "continue" } as const;
    await expect(finetune(resumed)).rejects.toThrow(
      `the checkpoint was written by pearl 0.0.1, this is ${packageVersion()}. Finish with that version, or start over.`,
    );
    if (cure === "older version") await asOlder(() => trained(resumed, 2));
    else await trained(options);
  });

  it.each<[string, (checkpoint: string) => void]>([
    ["whose record is damaged", (folder) => writeFileSync(join(folder, "checkpoint.json"), "{")],
    ["without its record", (folder) => rmSync(join(folder, "checkpoint.json"))],
    ["whose tensors are cut off", (folder) => truncateSync(join(folder, "tensors.safetensors"), 1000)],
  ])("of a checkpoint %s works", async (_, damage) => {
    const options = start();
    await stopAt(3, { ...options, checkpointEvery: 1 });
    const last = join(`${options.output}.training`, "checkpoints", "step-000003");
    damage(last);
    const resumed = { ...options, resume: "continue" } as const;
    await expect(finetune(resumed)).rejects.toThrow(
      "The checkpoint is damaged: delete its folder to continue from the one before.",
    );
    rmSync(last, { recursive: true });
    await trained(resumed, 2);
  });

  it("of a number of steps that is damaged works", async () => {
    const options = start({ steps: undefined, minutes: 60 });
    await stopAt(2, options);
    writeFileSync(join(`${options.output}.training`, "steps.json"), "{");
    await expect(finetune({ ...options, resume: "continue" })).rejects.toThrow(
      "Start over without --resume.",
    );
    await stopAt(2, options);
  });

  it("of weights that are no numbers works", async () => {
    const options = start({ steps: 1, learningRate: 1e39 });
    await expect(finetune(options)).rejects.toThrow(
      /so no checkpoint was written\. Use a smaller learning rate or clip gradients\.$/,
    );
    await trained({ ...options, learningRate: 1e-3 });
  });

  it.skipIf(!isMounted)("of metrics without room works", async () => {
    const output = join(small, "tuned");
    const fill = join(small, "fill");
    const options = start({ output, steps: 60, checkpointEvery: 15 });
    const onStep = ({ step }: { step: number }) => step === 16 && fillDisk(fill);
    await expect(finetune({ ...options, onStep })).rejects.toThrow(
      /metrics\.jsonl: the metrics of step \d+ cannot be written \(.*\)\. Make room and resume\.$/,
    );
    rmSync(fill);
    await trained({ ...options, resume: "continue" }, 15);
    const steps = readFileSync(join(output, "metrics.jsonl"), "utf8").trimEnd().split("\n");
    expect(steps.map((line) => JSON.parse(line).step)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
  });
});

/** Takes all the space that is left. */
function fillDisk(file: string): void {
  const page = Buffer.alloc(4096);
  for (;;)
    try {
      writeFileSync(file, page, { flag: "a" });
    } catch {
      return;
    }
}
