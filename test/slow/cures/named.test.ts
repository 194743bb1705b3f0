/** Every message of src that names a cure is provoked by a test, which names the words of that message alone. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";

/** Beginnings of messages that no test can provoke here, with the reason. */
const notHere: Readonly<Record<string, string>> = {
  " is locked by several processes in turn": "needs two processes that take the lock within microseconds",
  ": no benchmark task has its data here":
    "its cure downloads from GitHub; network.test.ts walks that download",
};

/** What a cure begins with, at the beginning of a sentence or behind a colon, a comma or "or". */
const cure =
  /(?:^|[.:;,)(?] ?|\bor |\band |\bthen )(?:[Aa]dd|[Aa]ppend|[Bb]uild|[Cc]heck|[Cc]hoose|[Cc]omplete|[Cc]onvert|[Cc]orrect|[Dd]elete|[Dd]escribe|[Dd]id you mean|[Dd]ownload|[Ee]nd|[Ee]xport|[Ff]ill|[Gg]ive|[Ii]mport|[Ii]nstall|[Kk]eep|[Ll]eave|[Ll]oad|[Mm]ake|[Mm]ove|[Nn]ame|[Pp]ass|[Pp]ost|[Pp]ut|[Qq]uote|[Rr]emove|[Rr]ename|[Rr]estore|[Rr]un|[Ss]eparate|[Ss]et|[Ss]tart|[Tt]ake|[Tt]rain|[Tt]ry|[Uu]pgrade|[Uu]se|[Ww]ait|[Ww]rite)\b|`pearl /;

/** Letters that, if no other message has them in a row, identify a message. */
const ENOUGH = 14;

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

it("each message with a cure is named by a test, or listed with the reason why none can provoke it", () => {
  const messages = filesBelow("src").flatMap((file) => messagesOf(file).map((texts) => ({ file, texts })));
  expect(messages.length).toBeGreaterThan(200);
  const owners = new Map<string, Set<string>>();
  for (const { texts } of messages)
    for (const part of texts.flatMap(partsOf))
      owners.set(part, (owners.get(part) ?? new Set<string>()).add(texts.join()));
  const others = filesBelow("test").filter((file) => !fileURLToPath(import.meta.url).endsWith(file));
  const tested = others.flatMap((file) => textsOf(nodesOf(file)));
  const testedParts = new Set(tested.flatMap(partsOf));
  const allTested = tested.join("\n");
  const hasWords = (text: string) =>
    cure.test(text) && allTested.includes(text.replace(/^[^\p{L}`]+|\s+$/gu, ""));
  const isNamed = ({ texts }: { texts: string[] }) =>
    texts.some(hasWords) ||
    texts.flatMap(partsOf).some((part) => owners.get(part)?.size === 1 && testedParts.has(part));
  const unnamed = messages.filter((message) => !isNamed(message));
  const listed = ({ texts }: { texts: string[] }) =>
    Object.keys(notHere).some((text) => texts.join().includes(text));
  expect(
    unnamed.filter((message) => !listed(message)).map(({ file, texts }) => `${file}: ${texts.join("…")}`),
  ).toEqual([]);
  expect(
    Object.keys(notHere).filter((text) => !unnamed.some(({ texts }) => texts.join().includes(text))),
  ).toEqual([]);
});
