/** Every message of src that names a cure has a test that applies it, which names the words of that message alone. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";

/** This file; those beside and below it apply what they name. */
const own = relative(process.cwd(), import.meta.filename);

/** Messages whose cure a test of another folder applies, and its file. */
const elsewhere: Readonly<Record<string, string>> = {
  // needs 4.5 GB of memory
  "exceed 2 GB: write it to a path, with external data": "test/slow/onnx-large.test.ts",
  "another run has started on the same output": "test/table/write/partial.test.ts",
  "This index was disposed. Make it again.": "test/slow/web/library.test.ts",
  'Use device "auto" or "cpu".': "test/slow/web/webgpu.test.ts",
  "belongs to another table, or the table has changed": "test/search/vector-index.full.test.ts",
  "was begun with other columns. Resume with -c": "test/search/vector-index.full.test.ts",
  "overlaps another one: keep one of them": "test/fewshot/tag/sentences.test.ts",
  "the tagger has no transitions, which Viterbi needs": "test/fewshot/tag/tagger.test.ts",
  'Write %3F for "?" in a password, and %40 for "@" after it.': "test/table/postgres/address.test.ts",
  "is a pipe, socket or device: name a regular file.": "test/serve/mcp/files.full.test.ts",
  "Give it a shorter name": "test/slow/postgres/postgres-index.test.ts",
  "Leave the prompt out": "test/architectures/sentence-modules.test.ts",
  "Use a model that pools in one of these": "test/architectures/sentence-modules.test.ts",
  "is not the address of an HTTP proxy. Set it to": "test/files/proxy.test.ts",
  "is not a known encoding. Give one such as": "test/table/encodings.full.test.ts",
  "Pass one phrase per query.": "test/search/vector-index.full.test.ts",
  "Name another folder for the output.": "test/training/run.full.test.ts",
  "(it ignores If-Match). Copy the object": "test/serve/review/answer-file.full.test.ts",
  "--patience counts evaluations: add --eval-data FOLDER": "test/cli/learn/finetune.test.ts",
  "no pairs: give at least one table": "test/methods/pairs/sources.test.ts",
  "than a sheet of Excel holds (": "test/table/spreadsheet.test.ts",
  " has no tables. Give a database with at least one.": "test/table/read/database-file.full.test.ts",
  ". Close what writes it, restore it if it is damaged, or ": "test/table/read/database-file.full.test.ts",
  "was stopped while it did. Wait, or let SQLite tidy up": "test/table/read/database-file.full.test.ts",
  'a static model needs a table "embeddings"': "test/architectures/transformer/model2vec.test.ts",
  " weights. Download the weights again.": "test/architectures/transformer/model2vec.test.ts",
  "the mapping leads to vector ": "test/architectures/transformer/model2vec.test.ts",
  "Take a model in float32, float16, bfloat16 or int8.": "test/architectures/transformer/model2vec.test.ts",
  "golden records are written beside the rows that are kept": "test/serve/mcp/tools.full.test.ts",
  "give what is known: either truth or truthColumn.": "test/serve/mcp/tools.full.test.ts",
  "truthColumn is about one table: for two, give truth.": "test/serve/mcp/tools.full.test.ts",
  "has no phrase column to encode. Build a new index.": "test/search/vector-index.full.test.ts",
  "is no folder: its vectors stay. Build a new index of the table.":
    "test/slow/postgres/postgres-index.test.ts",
  "are about columns that are compared with each other. Leave one out.":
    "test/match/evidence/own-comparison.test.ts",
  " phrases. Give one for each.": "test/search/vector-index.full.test.ts",
  "the graph is not the mean of a table's vectors. Export a model":
    "test/architectures/transformer/model2vec.test.ts",
  "it holds all pairs of ": "test/methods/pairs/held-out.full.test.ts",
};

/** Words of messages whose cure no test applies, with the reason. */
const notHere: Readonly<Record<string, string>> = {
  " is locked by several processes in turn": "needs two processes that take the lock within microseconds",
  ": cannot be read (…). Check its permissions.": "tests may run as root, whom no permission stops",
  " bytes of different texts. ": "its column has four gigabytes of text",
  " pairs, and each text is compared with each positive. ": "its table has more than 10,000 pairs",
  " rows are more than can be embedded": "its table has more than seven million rows",
  ": no benchmark task has its data here":
    "its cure downloads from GitHub; network.test.ts walks that download",
};

/** What a cure begins with, at the beginning of a sentence or behind a colon, a comma or "or". */
const cure =
  /(?:^|[.:;,)(?] ?|\bor |\band |\bthen )(?:[Aa]dd|[Aa]ppend|[Bb]uild|[Cc]heck|[Cc]hoose|[Cc]omplete|[Cc]onvert|[Cc]orrect|[Dd]elete|[Dd]escribe|[Dd]id you mean|[Dd]ownload|[Ee]nd|[Ee]xport|[Ff]ill|[Gg]ive|[Ii]mport|[Ii]nstall|[Kk]eep|[Ll]eave|[Ll]oad|[Mm]ake|[Mm]ove|[Nn]ame|[Pp]ass|[Pp]ost|[Pp]ut|[Qq]uote|[Rr]emove|[Rr]ename|[Rr]estore|[Rr]un|[Ss]eparate|[Ss]et|[Ss]tart|[Tt]ake|[Tt]rain|[Tt]ry|[Uu]ninstall|[Uu]pgrade|[Uu]se|[Ww]ait|[Ww]rite)\b|`pearl /;

/** Letters that, if no other message has them in a row, identify a message. */
const ENOUGH = 20;

// biome-ignore lint/suspicious/noExplicitAny: nodes of a syntax tree have many forms
type Node = any;

function* nodesBelow(node: Node): Generator<Node> {
  if (typeof node !== "object" || node === null) return;
  if (typeof node.type === "string") yield node;
  for (const child of Object.values(node)) yield* nodesBelow(child);
}

const nodesOf = (file: string) => nodesBelow(parseAst(readFileSync(file, "utf8"), { lang: "ts" }));
const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));

/** The constant parts of the texts and patterns in a piece of code, without backslashes. */
const textsOf = (nodes: Iterable<Node>): string[] =>
  [...nodes]
    .map(({ type, value, regex }) => (type === "TemplateElement" ? value.cooked : (regex?.pattern ?? value)))
    .filter((text) => typeof text === "string")
    .map((text) => text.replaceAll("\\", ""));

const partsOf = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - ENOUGH + 1) }, (_, at) => text.slice(at, at + ENOUGH));

/** The texts of errors and of cures, as lists of their constant parts. */
function messagesOf(file: string): string[][] {
  const found = [...nodesOf(file)].flatMap(({ type, callee, arguments: given, id, init, key, value }) => {
    const isError =
      /^(New|Call)Expression$/.test(type) && /(Error|[tT]rouble|^fail|^refuse)$/.test(callee.name);
    const isCure = /^(cure|advice|hint)$/i.test(id?.name ?? key?.name);
    return isError ? [given] : isCure ? [init ?? value] : [];
  });
  return found
    .map((node) => textsOf(nodesBelow(node)))
    .filter((texts) => texts.some((text) => cure.test(text)));
}

it("each message with a cure has a test that applies it, or is listed with the reason why none does", () => {
  const messages = filesBelow("src").flatMap((file) => messagesOf(file).map((texts) => ({ file, texts })));
  expect(messages.length).toBeGreaterThan(200);
  const owners = new Map<string, Set<string>>();
  for (const { file, texts } of messages)
    for (const part of texts.flatMap(partsOf))
      owners.set(part, (owners.get(part) ?? new Set<string>()).add(`${file} ${texts}`));
  const others = filesBelow(dirname(own)).filter((file) => file !== own);
  const tested = others.flatMap((file) => textsOf(nodesOf(file)));
  const testedParts = new Set(tested.flatMap(partsOf));
  const allTested = tested.join("\n");
  /** A cure that several messages share is tested as often. */
  const isTestedOften = (text: string) => {
    const words = text.replace(/^[^\p{L}`]+|\s+$/gu, "");
    const sharers = messages.filter(({ texts }) => texts.join("…").includes(words));
    return cure.test(text) && allTested.split(words).length > sharers.length;
  };
  const isApplied = ({ texts }: { texts: string[] }) =>
    texts.flatMap(partsOf).some((part) => owners.get(part)?.size === 1 && testedParts.has(part)) ||
    texts.some(isTestedOften);
  const open = messages.filter((message) => !isApplied(message));
  const isIn = (list: object, { texts }: { texts: string[] }) =>
    Object.keys(list).some((text) => texts.join("…").includes(text));
  const exceptions = { ...notHere, ...elsewhere };
  expect(
    open
      .filter((message) => !isIn(exceptions, message))
      .map(({ file, texts }) => `${file}: ${texts.join("…")}`),
  ).toEqual([]);
  const needless = Object.keys(exceptions).filter(
    (text) => !open.some((message) => isIn({ [text]: "" }, message)),
  );
  expect(needless).toEqual([]);
  for (const [text, file] of Object.entries(elsewhere))
    expect(textsOf(nodesOf(file)).join("\n")).toContain(text);
});
