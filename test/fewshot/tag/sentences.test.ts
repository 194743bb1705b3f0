/** Tagged sentences in files: read, refused, and written as they were read. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readColumns, readSpans, readTagged, spansOf } from "../../../src/fewshot/tag/sentences.js";
import { newFolder } from "../../setup/new-folder.js";

describe("CoNLL columns", () => {
  const text = "-DOCSTART- -X- O\n\nNew NNP B-LOC\nYork NNP I-LOC\nsleeps VBZ O\n\nAda NNP PER\n";

  it("give tokens and labels; blank lines and document starts end a sentence", () => {
    const { sentences } = readColumns(text, "a.conll", "required");
    expect(sentences).toEqual([
      { tokens: ["New", "York", "sleeps"], tags: ["LOC", "LOC", "O"] },
      { tokens: ["Ada"], tags: ["PER"] },
    ]);
  });

  it("are written with one more column, and with the other lines as they were", () => {
    const { write } = readColumns(text, "a.conll", "required");
    expect(write([["O", "LOC", "LOC"], ["PER"]])).toBe(
      "-DOCSTART- -X- O\n\nNew NNP B-LOC O\nYork NNP I-LOC B-LOC\nsleeps VBZ O I-LOC\n\nAda NNP PER B-PER\n",
    );
  });

  it("keep the line ends of Windows", () => {
    const { write } = readColumns("New\tNNP\r\nYork\tNNP\r\n\r\nAda\tNNP\r\n", "a.tsv", "optional");
    expect(write([["LOC", "LOC"], ["PER"]])).toBe(
      "New\tNNP\tB-LOC\r\nYork\tNNP\tI-LOC\r\n\r\nAda\tNNP\tB-PER\r\n",
    );
  });

  it("need tags only where something is learned from them", () => {
    expect(readColumns("New\nYork\n", "a", "optional").sentences).toEqual([
      { tokens: ["New", "York"], tags: [] },
    ]);
    expect(() => readColumns("New\tB-LOC\nYork\n", "a.tsv", "required")).toThrow(
      'a.tsv, line 2: "York" has no tag (O, B-NAME or I-NAME) in its last column.',
    );
  });
});

describe("JSON lines with spans", () => {
  const line =
    '{"id": 7, "text": "Ada lives in New York.", "spans": [{"start": 13, "end": 21, "label": "LOC"}]}\n';

  it("give tokens, and are written with other spans and the same other keys", () => {
    const { sentences, write } = readSpans(`\uFEFF${line}`, "a.jsonl", "required");
    expect(sentences).toEqual([
      { tokens: ["Ada", "lives", "in", "New", "York", "."], tags: ["O", "O", "O", "LOC", "LOC", "O"] },
    ]);
    expect(JSON.parse(write([["PER", "O", "O", "LOC", "LOC", "O"]]))).toEqual({
      id: 7,
      text: "Ada lives in New York.",
      spans: [
        { start: 0, end: 3, label: "PER" },
        { start: 13, end: 21, label: "LOC" },
      ],
    });
  });

  it("keep every digit and the order of keys, and the line ends of Windows", () => {
    const odd = '{"b":12345678901234567890,"text":"Ada","2":1.50,"nested":{"spans": [1.0]}}';
    const { write } = readSpans(`${odd}\r\n{"spans":[],"text":""}\r\n`, "a.jsonl", "optional");
    const spans = '"spans":[{"start":0,"end":3,"label":"PER"}]';
    expect(write([["PER"], []])).toBe(`${odd.slice(0, -1)},${spans}}\r\n{"spans":[],"text":""}\r\n`);
  });

  it.each([
    ["{", "not valid JSON"],
    ['{"spans": []}', 'no "text"'],
    ['{"text": "Ada"}', 'no list "spans"'],
    ['{"text": "Ada", "spans": [{"start": 5, "end": 9, "label": "PER"}]}', "a span without tokens"],
    [
      '{"text": "Ada Byron", "spans": [{"start": 0, "end": 6, "label": "PER"}]}',
      "does not begin and end with a word",
    ],
    [
      '{"text": "Bank of England", "spans": [{"start": 0, "end": 15, "label": "ORG"}, {"start": 8, "end": 15, "label": "LOC"}]}',
      "the span 8 to 15 overlaps another one: keep one of them",
    ],
    ['{"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "O"}]}', "the label O stands for no span"],
  ])("are refused with their line: %s", (bad, message) => {
    expect(() => readSpans(`${line}${bad}\n`, "a.jsonl", "required")).toThrow(`a.jsonl, line 2: `);
    expect(() => readSpans(`${line}${bad}\n`, "a.jsonl", "required")).toThrow(message);
  });
});

describe("a file of sentences", () => {
  it("must exist and hold a sentence", async () => {
    await expect(readTagged("nowhere.tsv", "optional")).rejects.toThrow("nowhere.tsv: no such file");
    const path = join(newFolder(), "empty.tsv");
    writeFileSync(path, "\n\n");
    await expect(readTagged(path, "optional")).rejects.toThrow(`${path}: no sentence found`);
  });

  it("may be in the encodings that tables are read in, and says where one is a guess", async () => {
    const path = join(newFolder(), "a.tsv");
    const [marked, plain] = ["\uFEFFZürich\nschläft\n", "Zürich\nschläft\n"];
    const notes: string[] = [];
    const written = async (content: Buffer, name = path, encoding?: string) => {
      writeFileSync(name, content);
      const file = await readTagged(name, "optional", { encoding, onNote: (note) => notes.push(note) });
      expect(file.sentences[0].tokens).toEqual(["Zürich", "schläft"]);
      return file.write([["PLACE", "O"]]);
    };
    const tagged = "Zürich B-PLACE\nschläft O\n";
    expect(await written(Buffer.from(marked, "utf16le"))).toBe(`\uFEFF${tagged}`);
    expect(await written(Buffer.from(marked))).toBe(`\uFEFF${tagged}`);
    expect(await written(gzipSync(plain), `${path}.gz`)).toBe(tagged);
    expect(await written(Buffer.from("Z\x9frich\nschl\x8aft\n", "latin1"), path, "macintosh")).toBe(tagged);
    expect(notes).toEqual([]);
    expect(await written(Buffer.from(plain, "latin1"))).toBe(tagged);
    expect(notes).toEqual([`${path}: taken for windows-1252 (--encoding NAME if it is another)`]);
  });

  it("is refused where lines are in two encodings, so that no letter is written back as another", async () => {
    const path = join(newFolder(), "a.tsv");
    writeFileSync(path, Buffer.concat([Buffer.from("Zürich\n"), Buffer.from("Köln\n", "latin1")]));
    await expect(readTagged(path, "optional")).rejects.toThrow(
      `${path}, line 2: bytes that are not UTF-8. Correct them, or name the encoding of the file`,
    );
  });

  it("joins neighbours of one label to a span", () => {
    expect(spansOf(["O", "A", "A", "B", "O", "B"])).toEqual([
      { from: 1, to: 3, label: "A" },
      { from: 3, to: 4, label: "B" },
      { from: 5, to: 6, label: "B" },
    ]);
  });
});
