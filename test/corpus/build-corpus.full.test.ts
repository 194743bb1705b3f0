import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type BuildCorpusOptions,
  type BuildCorpusReport,
  buildCorpus,
} from "../../src/corpus/build-corpus.js";
import { type Corpus, readCorpus, readSynonyms, UNKNOWN_TYPE } from "../../src/corpus/corpus-folder.js";
import { ENTITY_TYPES, LEXICAL_CLASSES } from "../../src/pearl/phrase-types.js";
import { createRandom } from "../../src/random.js";
import { mergedRun } from "../files/shards/merged.js";
import { testFolder } from "../table/folder.js";

const { path, file } = testFolder();
let outputs = 0;
const newOutput = (): string => join(path, `corpus-${outputs++}`);

const sentences = [
  "The old harbour of Trieste was rebuilt by Mr. Smith in 1999.",
  "Mr. Smith signed a new contract with Acme Corp. for $ 5 million.",
  "Tourists quickly filled the old harbour in the early morning.",
];
const text = file("harbour.txt", `${sentences.join("\n")}\n`);
/** Types of the phrases that the text has twice: with them no phrase waits for the typer, which reads WordNet first. */
const types = file("types.tsv", "the old harbour\tFAC\nMr. Smith\tB-PER\n");

/** "class type count" of each phrase. */
function rowsOf(corpus: Corpus): Map<string, string> {
  return new Map(
    corpus.phrases.map((phrase, row) => {
      const type = corpus.types[row] === UNKNOWN_TYPE ? "?" : ENTITY_TYPES[corpus.types[row]];
      return [phrase, `${LEXICAL_CLASSES[corpus.classes[row]]} ${type} ${corpus.counts[row]}`];
    }),
  );
}

describe("a corpus from text", () => {
  const [all, frequent] = [newOutput(), newOutput()];
  let report: BuildCorpusReport;
  let reportOfFrequent: BuildCorpusReport;
  beforeAll(async () => {
    report = await buildCorpus({ output: all, texts: [text], threads: 1, minimumCount: 1 });
    reportOfFrequent = await buildCorpus({ output: frequent, texts: [text], types: [types], threads: 1 });
  });

  it("counts phrases of all five classes, types names, and lists the most frequent first", async () => {
    const corpus = await readCorpus(all);
    const rows = rowsOf(corpus);
    expect(rows.get("the old harbour")).toBe("NP OTHER 2");
    expect(rows.get("Mr. Smith")).toBe("NP PERSON 2");
    expect(rows.get("in 1999")).toBe("PP DATE 1");
    expect(rows.get("$ 5 million")).toBe("NP MONEY 1");
    expect(rows.get("Acme Corp.")).toBe("NP ORG 1");
    expect(rows.get("signed a new contract")).toBe("VP OTHER 1");
    expect(rows.get("quickly")).toBe("ADVP OTHER 1");
    expect([...corpus.counts]).toEqual([...corpus.counts].sort((left, right) => right - left));
    expect(new Set(corpus.phrases).size).toBe(corpus.phrases.length);
    expect(report.manifest.counts.occurrences).toBe(corpus.counts.reduce((sum, count) => sum + count, 0));
    expect(readdirSync(path)).not.toContain(`${all}.partial`);
  });

  it("drops phrases that occur only once, unless told to keep them", async () => {
    expect([...(await readCorpus(frequent)).phrases].sort()).toEqual(["Mr. Smith", "the old harbour"]);
    const { droppedRare } = reportOfFrequent;
    expect(droppedRare).toBeGreaterThan(5);
    expect((await readCorpus(all)).phrases.length).toBe(2 + droppedRare);
    expect(report.droppedRare).toBe(0);
  });

  it("prefers the user's types to its own, under any known label", async () => {
    const rows = rowsOf(await readCorpus(frequent));
    expect(rows.get("the old harbour")).toBe("NP FAC 2");
    expect(rows.get("Mr. Smith")).toBe("NP PERSON 2");
    const bad = file("bad-types.tsv", "Trieste\tGPE\nSmith\tWIZARD\n");
    await expect(buildCorpus({ output: newOutput(), texts: [text], types: [bad] })).rejects.toThrow(
      /bad-types\.tsv, line 2: unknown type "WIZARD"\. Known types: .*PERSON/,
    );
  });

  it("of at most so many phrases has those of tables, and then the most frequent", async () => {
    const phrases = file("rare.tsv", "phrase\ttype\na rare thing\tOTHER\nother\tOTHER\n");
    const output = newOutput();
    const inputs = { texts: [text], phrases: [phrases], types: [types] };
    const { droppedBeyond } = await buildCorpus({ output, ...inputs, threads: 1, maximumPhrases: 3 });
    expect((await readCorpus(output)).phrases).toEqual(["Mr. Smith", "a rare thing", "other"]);
    expect(droppedBeyond).toBe(1);
  });

  it("is the same from plain text and from a column of a table in gzip", async () => {
    const lines = sentences.map((line, index) => `${index}\t${line}\n`);
    const packed = file("harbour.tsv.gz", gzipSync(`id\ttext\n${lines.join("")}`));
    const options = { output: newOutput(), texts: [packed], types: [types], threads: 1 };
    const { manifest } = await buildCorpus({ ...options, quote: "none" });
    expect(manifest.fingerprint).toBe(reportOfFrequent.manifest.fingerprint);
    expect([manifest, reportOfFrequent.manifest].map(({ settings }) => settings.quote)).toEqual([
      "none",
      undefined,
    ]);
  });

  it("is that of one run where it is built in shards", async () => {
    const random = createRandom(4);
    const drawn = Array.from({ length: 60 }, () => sentences[Math.floor(random() * 3)]);
    const long = file("long.txt", drawn.join("\n\n"));
    const phrases = file("own.tsv", "phrase\ttype\nTrieste\tGPE\n");
    const build = (output: string, sharing?: BuildCorpusOptions["sharing"]) =>
      buildCorpus({
        ...{ output, texts: [long], phrases: [phrases], types: [types], sharing },
        ...{ threads: 1, blockLength: 700, maximumPhrases: 3 },
      });
    const contents = (folder: string) =>
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
    const [whole, merged] = [newOutput(), newOutput()];
    const report = await build(whole);
    expect(await mergedRun(3, (sharing) => build(merged, sharing))).toEqual(report);
    expect(contents(merged)).toEqual(contents(whole));
    expect(report.words).toBeGreaterThan(500);
  });
});

describe("a corpus from tables", () => {
  it("finds columns without a header by their content, else only those that it names, and says which", async () => {
    const chunks = file("chunks.tsv", "of\tPP\t6167\tconll\nsaid\tVP\t3\tconll\nwent home\tVP\t1\tgum\n");
    const typed = file(
      "typed.tsv",
      "Paris\tNP\tGPE\tx:loc\tgold\t3\nParis\tNP\tPERSON\tx:per\tgold\t1\nAcme\tNP\tORG\tbad:o\tlist\t2\n",
    );
    const named = file("phrases.csv", "id,phrase,kind,type\n7,Trieste,city,GPE\n8,Acme,company,ORG\n");
    const names = file("names.csv", "name\nVienna\n");
    const kinds = file("kinds.tsv", "of\tOTHER\nsaid\tOTHER\nwent home\tOTHER\nVienna\tGPE\n");
    const synonyms = file("aliases.csv", "id,name,alias\n1,Trieste,Triest\n");
    const output = newOutput();
    const notes: string[] = [];
    await buildCorpus({
      ...{ output, phrases: [chunks, typed, named, names], types: [kinds], synonyms: [synonyms] },
      ...{ skip: ["bad:"], threads: 1 },
      onNote: (note) => notes.push(note),
    });
    expect(rowsOf(await readCorpus(output))).toEqual(
      new Map([
        ["of", "PP OTHER 6167"],
        ["Paris", "NP GPE 4"],
        ["said", "VP OTHER 3"],
        ["Acme", "NP ORG 1"],
        ["Trieste", "NP GPE 1"],
        ["Vienna", "NP GPE 1"],
        ["went home", "VP OTHER 1"],
      ]),
    );
    expect(await readSynonyms(output)).toEqual([{ phrase: "Trieste", synonym: "Triest", source: "table" }]);
    expect(notes).toContainEqual(
      expect.stringMatching(
        /phrases\.csv: 2 rows; phrase from "phrase", type from "type" of id, phrase, kind, type/,
      ),
    );
  });

  it("refuses a table whose header does not say what to read", async () => {
    const build = (name: string, content: string) =>
      buildCorpus({ output: newOutput(), phrases: [file(name, content)], threads: 1 });
    const message =
      /which columns are to be read\? It has id, name, .*Name them in the first line: phrase, class/;
    await expect(build("companies.csv", "id,name,city\n1,Toyota,Tokyo\n2,Acme,Bonn\n")).rejects.toThrow(
      message,
    );
    await expect(build("typed.csv", "id,name,type\n1,Toyota,ORG\n2,Acme,ORG\n")).rejects.toThrow(message);
    await expect(build("c.jsonl", '{"id": 1, "name": "Toyota", "city": "Tokyo"}\n')).rejects.toThrow(message);
  });

  it("keeps each pair of synonyms once, also in circles, and phrases paired with themselves", async () => {
    const pairs = file(
      "pairs.tsv",
      "a b\tc\tone\nc\ta b\ttwo\nc\td\tone\nd\ta b\tone\ne\te\ttitles\ne\te\ttyped\nc\tc\tone\n",
    );
    const phrases = file("few.txt.tsv", "phrase\ttype\nx\tORG\ny\tORG\nz\tORG\n");
    const output = newOutput();
    await buildCorpus({ output, phrases: [phrases], synonyms: [pairs], threads: 1 });
    expect(await readSynonyms(output)).toEqual([
      { phrase: "a b", synonym: "c", source: "one" },
      { phrase: "c", synonym: "d", source: "one" },
      { phrase: "d", synonym: "a b", source: "one" },
      { phrase: "e", synonym: "e", source: "titles" },
      { phrase: "c", synonym: "c", source: "one" },
    ]);
    expect((await readCorpus(output)).phrases).toEqual(["x", "y", "z"]);
  });

  it("reads tables of more rows than a chunk of the database", async () => {
    const rows = Array.from({ length: 20_000 }, (_, row) => `p ${row}\tNP\tORG\t${20_000 - row}`);
    const output = newOutput();
    await buildCorpus({ output, phrases: [file("many.tsv", `${rows.join("\n")}\n`)], threads: 1 });
    const corpus = await readCorpus(output);
    expect(corpus.phrases[19_999]).toBe("p 19999");
    expect(corpus.counts[9_999]).toBe(10_001);
  });
});

describe("trouble while building", () => {
  it("is reported before any work: a used output folder, a missing text, bad UTF-8, a picture", async () => {
    const taken = newOutput();
    mkdirSync(taken);
    writeFileSync(join(taken, "notes.txt"), "mine");
    const build = (source: string, output = newOutput()) =>
      buildCorpus({ output, texts: [source], threads: 1 });
    await expect(build(text, taken)).rejects.toThrow(/is not empty/);
    await expect(build(join(path, "nowhere.txt"))).rejects.toThrow(/nowhere\.txt: no such file\. Check/);
    await expect(build(path)).rejects.toThrow(/: cannot be opened \(EISDIR/);
    await expect(build(file("dos.txt", Buffer.from("th\x82s \x81", "latin1")))).rejects.toThrow(
      /dos\.txt: not valid UTF-8.*convert the whole text/,
    );
    await expect(build(file("p.txt", Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3])))).rejects.toThrow(
      /binary/,
    );
  });

  it("names the reason when no phrase is left: script, no words, function words, rare or skipped phrases", async () => {
    const build = (name: string, content: string) =>
      buildCorpus({ output: newOutput(), texts: [file(name, content)], threads: 1 });
    await expect(build("ru.txt", "Он живёт в Москве. Она живёт в Москве.\n".repeat(5))).rejects.toThrow(
      /not in Latin letters.*English/,
    );
    await expect(build("blank.txt", "\n\n \n")).rejects.toThrow(/contains no words/);
    await expect(build("rare.txt", "A green dog.\n")).rejects.toThrow(/too rare.*--min-count 1/);
    await expect(build("function.txt", "Of it. To them.\n")).rejects.toThrow(/are function words/);
    const skipped = file("skipped.tsv", "phrase\ttype\nbad:x\tORG\n");
    await expect(
      buildCorpus({ output: newOutput(), phrases: [skipped], skip: ["bad:"], threads: 1 }),
    ).rejects.toThrow("the tables have no phrases");
  });

  // test/slow/corpus-large.test.ts builds the same with one thread and with two
  it("stops at its signal, and leaves nothing behind", async () => {
    const before = readdirSync(path);
    const controller = new AbortController();
    const interrupted = buildCorpus({
      ...{ texts: [text], threads: 1, output: newOutput(), signal: controller.signal },
      onProgress: () => controller.abort(),
    });
    await expect(interrupted).rejects.toHaveProperty("name", "AbortError");
    expect(readdirSync(path)).toEqual(before);
  });
});
