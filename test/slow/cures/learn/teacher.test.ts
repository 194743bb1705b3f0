/** Messages of trainings with a teacher or on several lengths: each names a cure, which is applied and works. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FinetuneOptions, finetune } from "../../../../src/methods/pairs/finetune.js";
import { createModel } from "../../../../src/methods/start-model.js";
import { newFolder } from "../../../setup/new-folder.js";
import { writeTable } from "../../../training/pairs-folder.js";

const phrases = ["one", "two", "three", "four", "five", "six"];
async function bag(width: number): Promise<string> {
  const folder = join(newFolder(), `bag-${width}`);
  await createModel(folder, { from: "bag", width }, { phrases });
  return folder;
}
const [base, teacher] = [await bag(8), await bag(12)];
const alone = writeTable(
  phrases.map((text) => [text]),
  ["text"],
);
const paired = (...more: string[]) =>
  writeTable(
    phrases.slice(1).map((text, i) => [phrases[i], text, ...more.map(() => `${i / 5}`)]),
    ["text", "positive", ...more],
  );
const train = (more: Partial<FinetuneOptions>) =>
  finetune({ base, pairs: alone, output: join(newFolder(), "tuned"), steps: 1, ...more });

describe("the cure in a message", () => {
  it.each<[string, Partial<FinetuneOptions>, string, Partial<FinetuneOptions>]>([
    ["an objective without its teacher", { objective: "distill" }, "Name it: --teacher MODEL", { teacher }],
    [
      "an objective that has no use for a teacher",
      { pairs: paired("score"), objective: "regression", teacher },
      "takes no teacher. Leave --teacher out, or choose one of nt-xent",
      { teacher: undefined },
    ],
    [
      "scores beside a teacher",
      { pairs: paired("score"), objective: "contrastive", teacher },
      "and a teacher cannot guide it. Leave out --teacher, or the column score.",
      { pairs: paired() },
    ],
    [
      "vectors of another length",
      { teacher, objectiveSettings: { match: "vectors" } },
      "dimensions, not 8. Choose match=neighbours.",
      { objectiveSettings: { match: "neighbours" } },
    ],
    [
      "a mixture that no teacher has read",
      { teacher, view: "mixup" },
      "the teacher has none of the mixture. Choose another view.",
      { view: "cutoff" },
    ],
    [
      "more dimensions than there are",
      { teacher, dims: [9] },
      "the model has 8 dimensions. Give whole numbers from 1 to 8.",
      { dims: [4] },
    ],
    [
      "too few phrases to hold out",
      { teacher, pairs: paired(), validate: 0.2 },
      "can be held out (--validate 0.2): that takes two pairs that share no phrase with others. Leave --validate out.",
      { validate: undefined },
    ],
  ])("of %s works", async (_, wrong, says, cure) => {
    await expect(train(wrong)).rejects.toThrow(says);
    expect((await train({ ...wrong, ...cure })).result.steps).toBe(1);
  });
});
