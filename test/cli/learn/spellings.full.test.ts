/** Earlier spellings of settings, and `pearl finetune` on a corpus, give the bytes that `--set` and `pearl train` give. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadCommands } from "../../../src/cli/commands.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { somePairs, writeTable } from "../../training/pairs-folder.js";
import { pearl } from "../run-here.js";

const text =
  "The New York Times was read in New York by the New York Times reader.\n" +
  "The old harbour of Bergen lies in the north of the old town, and the old harbour is deep.\n";
const cwd = newFolder();
const base = makeOracleModel("encoder.folded.onnx");
const machine = "--threads 1 --device cpu --steps 3";

beforeAll(async () => {
  writeFileSync(join(cwd, "t.txt"), text);
  copyFileSync(writeTable(somePairs(24), ["text", "positive", "negative", "type"]), join(cwd, "pairs.csv"));
  const plain = somePairs(24, 7).map(([phrase]) => [phrase]);
  copyFileSync(writeTable(plain, ["text"]), join(cwd, "phrases.csv"));
  const built = await pearl(["corpus", "build", "t.txt", "-o", "corpus", "--min-count", "1", "-q"], { cwd });
  expect(built.code).toBe(0);
});

/** Runs a training; what it wrote to stderr, and the files whose bytes the settings decide. */
async function trained(command: string, parameters: string, name: string) {
  const words = `${command} ${parameters} ${machine} -o ${join(name, "model")}`.split(" ");
  const { code, stderr } = await pearl(words, { cwd });
  expect(code, stderr).toBe(0);
  const bytesOf = (file: string) => readFileSync(join(cwd, name, "model", file));
  return { stderr, files: ["onnx/model.onnx", "training.json", "README.md"].map(bytesOf) };
}

async function expectEqual(older: readonly [string, string], newer: readonly [string, string], name: string) {
  const [first, second] = [
    await trained(...older, `${name}-older`),
    await trained(...newer, `${name}-newer`),
  ];
  for (const [place, bytes] of first.files.entries()) expect(second.files[place].equals(bytes)).toBe(true);
  return { older: first, newer: second };
}

describe("earlier spellings", () => {
  const onPairs = `--base ${base} --pairs pairs.csv --lr 1e-3 --batch-size 12`;
  const onPhrases = `--base ${base} --pairs phrases.csv --lr 1e-3`;
  // a scratch model without augmentation, which would read WordNet
  const onCorpus =
    "--corpus corpus --base none --lr 1e-3 --no-character-augmentation --no-token-augmentation --no-phrase-augmentation";

  it.each([
    [
      "numbers",
      `${onPairs} --temperature 0.1 --clip 0.5 --average 0.7 --no-types --dropout 0.1`,
      `${onPairs} --set temperature=0.1 --set clipNorm=0.5 --set averageWithBase=0.7 --set types=none --set dropout=0.1`,
    ],
    [
      "objectives",
      `${onPairs} --objective info-nce --objective-settings directions=both,temperature=0.2 --no-averaging`,
      `${onPairs} --objective info-nce --set objectiveSettings.directions=both --set objectiveSettings.temperature=0.2 --set averageWithBase=1`,
    ],
    [
      "views",
      `${onPhrases} --view punctuation --view-weight 0.3 --view-marks 1-5 --view-calm`,
      `${onPhrases} --set view=punctuation --set punctuation.weight=0.3 --set punctuation.least=1 --set punctuation.most=5 --set punctuation.marks=calm`,
    ],
  ])("of %s on pairs", async (name, older, newer) => {
    await expectEqual(["finetune", older], ["finetune", newer], name);
  });

  it("on a corpus, where finetune says that train does it", async () => {
    const older =
      "--hidden 16 --layers 1 --vocab 200 --characters bag --character-width 8 --anchors 6 --hard-negatives 0 " +
      "--synonyms 4 --temperature 0.1 --dropout 0.2 --clip 1 --average 0.5 --no-types";
    const newer = [
      ...["shape.hidden=16", "shape.layers=1", "shape.vocabulary=200", "characters.from=bag"],
      ...["characters.width=8", "anchors=6", "hardNegatives=0", "synonyms=4", "temperature=0.1"],
      ...["dropout=0.2", "clipNorm=1", "averageWithBase=0.5", "types=none"],
    ];
    const sets = newer.map((assignment) => `--set ${assignment}`).join(" ");
    const said = await expectEqual(
      ["finetune", `${onCorpus} ${older}`],
      ["train", `${onCorpus} ${sets}`],
      "corpus",
    );
    const hint = "a training on a corpus is pearl train now; it takes the same options\n";
    expect(said.older.stderr.split(hint)).toHaveLength(2);
    expect(said.newer.stderr).not.toContain("pearl train");
  });

  it("are not in the help, which shows about twenty options", async () => {
    for (const name of ["finetune", "train"]) {
      const [{ options = [] }] = await loadCommands(name);
      const { stdout } = await pearl([name, "--help"]);
      const flags = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
      const shown = options.filter(({ hidden }) => !hidden).map(({ long }) => long);
      expect(flags).toEqual([...shown, "--help"]);
      expect(shown.length).toBeLessThan(25);
      expect(options.length).toBeGreaterThan(40);
      expect(stdout).not.toMatch(/--temperature|--no-types|--hidden|--anchors|--view-marks/);
    }
  });
});
