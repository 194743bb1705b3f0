/** Every long command with a limit of memory and several threads: columns lie in files then, and the result is the same. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../src/random.js";
import { pearl } from "../cli/run-cli.js";
import { newFolder } from "../setup/new-folder.js";

const folder = newFolder();
const rows = 5000;

beforeAll(async () => {
  const random = createRandom(7);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)];
  const syllables = [
    "ba",
    "ke",
    "li",
    "mo",
    "nu",
    "ra",
    "sti",
    "tor",
    "ven",
    "wil",
    "zan",
    "dor",
    "fe",
    "gri",
  ];
  const word = () => pick(syllables) + pick(syllables) + pick(syllables);
  const towns = Array.from({ length: 200 }, word);
  const left = ["name,town,phone"];
  const right = ["name,town,phone"];
  for (let row = 0; row < rows; row++) {
    const [name, town] = [`${word()} ${word()}`, pick(towns)];
    const phone = Math.floor(1e6 + 9e6 * random());
    left.push(`${name},${town},${phone}`);
    // half of the rows have a partner, with a letter less
    right.push(
      row % 2 ? `${name.slice(0, -1)},${town},${phone}` : `${word()} ${word()},${town},${phone + 1}`,
    );
  }
  writeFileSync(join(folder, "left.csv"), `${left.join("\n")}\n`);
  writeFileSync(join(folder, "right.csv"), `${right.join("\n")}\n`);
  const phrases = left.slice(1).map((line) => `${line.split(",")[0]},NP`);
  writeFileSync(join(folder, "phrases.csv"), `phrase,class\n${phrases.join("\n")}\n`);
  writeFileSync(join(folder, "both.csv"), `${[...left, ...right.slice(1)].join("\n")}\n`);
});

/** Runs a command in its own folder, and returns what it wrote. */
async function outputs(name: string, line: string, ...more: string[]): Promise<Record<string, string>> {
  const own = join(folder, name.replace(/\W+/g, "-"));
  mkdirSync(own);
  const words = line
    .split(" ")
    .map((word) => (/^(left|right|both|phrases)\.csv$/.test(word) ? `../${word}` : word));
  const { code, stderr } = await pearl([...words, "--threads", "3", "-q", ...more], { cwd: own });
  expect({ code, stderr }, line).toEqual({ code: 0, stderr: "" });
  return Object.fromEntries(readdirSync(own).map((file) => [file, readFileSync(join(own, file), "utf8")]));
}

const model = "--model pearl-strings";
describe("with --memory and several threads", () => {
  it.each([
    `join left.csv right.csv --on name ${model} -o o.csv`,
    "join left.csv right.csv --on name --model none -o o.csv",
    `join left.csv right.csv ${model} -o o.csv --explain`,
    `dedupe both.csv ${model} -o o.csv --groups g.csv`,
    `dedupe both.csv -c name ${model} -o o.csv --groups g.csv`,
    `cluster both.csv -c name ${model} -o o.csv`,
  ])("pearl %s writes the same", async (line) => {
    const free = await outputs(`free ${line}`, line);
    const bounded = await outputs(`bounded ${line}`, line, "--memory", "2g");
    expect(Object.keys(bounded)).toEqual(Object.keys(free));
    for (const [file, text] of Object.entries(free)) expect(bounded[file] === text, file).toBe(true);
  });

  it("pearl link finds the same entities", async () => {
    const found: string[] = [];
    for (const [name, memory] of [
      ["free link", []],
      ["bounded link", ["--memory", "2g"]],
    ] as const) {
      const store = join(folder, `${name.split(" ")[0]}.store`);
      for (const table of ["left.csv", "right.csv"])
        await outputs(`${name} ${table}`, `link ${table} --store ${store} ${model} -o o.csv`, ...memory);
      found.push(readFileSync(join(folder, `${name} right.csv`.replace(/\W+/g, "-"), "o.csv"), "utf8"));
    }
    expect(found[1] === found[0]).toBe(true);
  });
});

describe("with several threads", () => {
  it("pearl encode, index build, search and corpus build take 5,000 rows", async () => {
    const encoded = await outputs("encode", `encode both.csv -c name ${model} -o o.csv`);
    expect(encoded["o.csv"].trim().split("\n")).toHaveLength(2 * rows + 1);
    const index = join(folder, "names.index");
    await outputs("index", `index build left.csv -c name ${model} -o ${index}`);
    const hits = await outputs("search", `search ${index} --queries right.csv -c name -k 1 -o o.csv`);
    expect(hits["o.csv"].trim().split("\n").length).toBeGreaterThan(rows);
    const corpus = join(folder, "corpus");
    await outputs("corpus", `corpus build --phrases phrases.csv -o ${corpus}`);
    await outputs("mine", `mine ${corpus} ${model}`);
    expect(readdirSync(corpus)).toContain("hard-negatives.tsv");
  });
});
