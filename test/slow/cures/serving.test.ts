/** Messages of classify, tag, serve, review and mcp: each names a cure, which is applied and works. */
import { readFileSync } from "node:fs";
import { type Case, claimCures } from "./cases.js";

const small = "-m pearl-strings -q";
const learn = `pearl classify train examples.csv -o kinds.json ${small}`;
const kinds = "pearl classify x.csv --with kinds.json -q";
const learnTags = `pearl tag train support.tsv -o tagger.json ${small}`;
const tag = "pearl tag new.tsv --with tagger.json -q";

/** Commands that start a server, wait until it answers, and stop it. What an earlier one printed would not be waited for. */
const answers = (command: string): string =>
  `rm -f out.txt; "$NODE" "$ENTRY" ${command} > out.txt & until grep -qs http:// out.txt; do kill -0 $!; sleep .1; done; kill -INT $!; wait $! || [ $? = 130 ]`;
const serve = `serve --port 0 ${small}`;
const review = "review asked.csv --no-open -q";
const initialise = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
});
const mcp = (root: string): string =>
  `(echo '${initialise}'; sleep 5) | pearl mcp --root ${root} ${small} | grep -q serverInfo`;

const usage = (wrong: string, says: string, cured: string): Case => ({ files: {}, wrong, says, cured });

const fewShot: Readonly<Record<string, Case>> = {
  "examples without a column of kinds": {
    files: { "odd.csv": readFileSync("data/phrases.csv", "utf8").replace("kind", "sort") },
    wrong: learn.replace("examples", "odd"),
    says: "Name the column of kinds with --kind-column.",
    cured: `${learn.replace("examples", "odd")} --kind-column sort`,
  },
  "an example without a kind": {
    files: { "odd.csv": "phrase,kind\nRome,place\nNiels Bohr,person\nOslo,\n" },
    wrong: learn.replace("examples", "odd"),
    says: "Fill the cell, or remove the row.",
    cured: `sed -i '$d' odd.csv && ${learn.replace("examples", "odd")}`,
  },
  "examples of one kind": {
    files: { "odd.csv": "phrase,kind\nRome,place\nOslo,place\n" },
    wrong: learn.replace("examples", "odd"),
    says: "Give phrases of at least two kinds, and a kind for the rest if needed.",
    cured: `echo Niels Bohr,other >> odd.csv && ${learn.replace("examples", "odd")}`,
  },
  "a learning curve that is too long": usage(
    `${learn} --examples-per-class 50`,
    "Take a smaller number.",
    `${learn} --examples-per-class 1`,
  ),
  "a learning curve of no numbers": usage(
    `${learn} --examples-per-class 0,5`,
    "whole numbers of at least 1, separated by commas: 1,5,20.",
    `${learn} --examples-per-class 1`,
  ),
  "kinds that are not learned": usage(
    kinds,
    "no such file. Make it with: pearl classify train EXAMPLES -o kinds.json",
    `${learn} && ${kinds}`,
  ),
  "kinds that are damaged": usage(
    `${learn} && sed -i 's/"bias"/"base"/' kinds.json; ${kinds}`,
    "Name a file that this wrote: pearl classify train EXAMPLES -o FILE",
    `${learn} && ${kinds}`,
  ),
  "kinds of another model": usage(
    `${learn} && ${kinds} -m pearl-mini`,
    "Use that model, or train the kinds again.",
    `${kinds} -m pearl-strings && ${learn} -m pearl-mini && ${kinds} -m pearl-mini`,
  ),
  "kinds of phrases in a file": usage(
    `${learn} && ${kinds.replace("x.csv", "Rome Oslo")} -o out.csv`,
    "-o writes the rows of a table: give one",
    `${kinds} -o out.csv`,
  ),
  "sentences that are not there": usage(
    learnTags.replace("support", "suport"),
    "Check the name and the folder",
    learnTags,
  ),
  "a file without sentences": {
    files: { "odd.tsv": "\n\n" },
    wrong: learnTags.replace("support", "odd"),
    says: 'Give a token a line, or JSON lines with "text".',
    cured: `printf 'Rome B-PLACE\\nsleeps O\\n' > odd.tsv && ${learnTags.replace("support", "odd")}`,
  },
  "sentences in an encoding that the bytes do not show": {
    files: { "odd.tsv": Buffer.from("Z\x81rich B-PLACE\nsleeps O\n", "latin1") },
    wrong: learnTags.replace("support", "odd"),
    says: "odd.tsv, line 1: bytes that are not UTF-8. Correct them, or name the encoding of the file",
    cured: `iconv -f CP850 -t UTF-8 odd.tsv > utf8.tsv && ${learnTags.replace("support", "utf8")}`,
  },
  "a token without a tag": {
    files: { "odd.tsv": "Rome\nsleeps\n" },
    wrong: learnTags.replace("support", "odd"),
    says: "Lines look like this:\n\nTrieste B-PLACE\nsleeps O",
    cured: `printf 'Trieste B-PLACE\\nsleeps O\\n' > odd.tsv && ${learnTags.replace("support", "odd")}`,
  },
  "a text without spans": {
    files: { "odd.jsonl": '{"text": "Trieste sleeps"}\n' },
    wrong: learnTags.replace("support.tsv", "odd.jsonl"),
    says: 'Lines look like this:\n\n{"text": "Trieste sleeps", "spans": [{"start": 0, "end": 7, "label": "PLACE"}]}',
    cured:
      `echo '{"text": "Trieste sleeps", "spans": [{"start": 0, "end": 7, "label": "PLACE"}]}' > odd.jsonl && ` +
      learnTags.replace("support.tsv", "odd.jsonl"),
  },
  "sentences without a span": {
    files: { "odd.tsv": "Rome O\nsleeps O\n" },
    wrong: learnTags.replace("support", "odd"),
    says: "Tag at least one of each kind.",
    cured: `sed -i 's/Rome O/Rome B-PLACE/' odd.tsv && ${learnTags.replace("support", "odd")}`,
  },
  "a tagger that has not learned": usage(
    tag,
    "no such file. Make it with: pearl tag train SUPPORT -o tagger.json",
    `${learnTags} && ${tag}`,
  ),
  "a tagger of another model": usage(
    `${learnTags} && ${tag} -m pearl-mini`,
    "Use that model, or train the tagger again.",
    `${tag} -m pearl-strings && ${learnTags} -m pearl-mini && ${tag} -m pearl-mini`,
  ),
};

const servers: Readonly<Record<string, Case>> = {
  "two indexes of one name": usage(
    `mkdir old; cp -r i.index old; pearl ${serve} i.index old/i.index`,
    "two indexes have the name i: rename one of the folders",
    `mv old/i.index old/j.index; ${answers(`${serve} i.index old/j.index`)}`,
  ),
  "an index of another model": usage(
    `pearl ${serve} i.index -m pearl-mini`,
    "Use the index's model, or build a new index with the model given.",
    `${answers(`${serve} i.index -m pearl-strings`)}; pearl index build x.csv -c name -o n.index -q; ` +
      answers(`${serve} n.index -m pearl-mini`),
  ),
  "a key that is not there": usage(
    `pearl ${serve} --api-key-file kye.txt`,
    "kye.txt: the API key cannot be read (ENOENT: no such file or directory, open 'kye.txt'). Check the name.",
    `openssl rand -hex 32 > key.txt; ${answers(`${serve} --api-key-file key.txt`)}`,
  ),
  "a key that clients send in different ways": usage(
    `echo schlüssel > key.txt; pearl ${serve} --api-key-file key.txt`,
    "key.txt: an API key is one line of ASCII characters. Make one with `openssl rand -hex 32`.",
    `openssl rand -hex 32 > key.txt; ${answers(`${serve} --api-key-file key.txt`)}`,
  ),
  "an empty key": usage(
    `touch key.txt; pearl ${serve} --api-key-file key.txt`,
    "Write a key into it, as `openssl rand -hex 32 > key.txt` does.",
    `openssl rand -hex 32 > key.txt; ${answers(`${serve} --api-key-file key.txt`)}`,
  ),
  "a port that is taken": usage(
    `"$NODE" -e 'require("net").createServer().listen(0, "127.0.0.1", function () { console.log(this.address().port) })' > port & ` +
      'until [ -s port ]; do sleep .1; done; trap "kill $!" EXIT; ' +
      `pearl ${serve} --port $(cat port)`,
    "Choose another with --port; 0 takes a free one.",
    answers(`${serve} --port 0`),
  ),
  "a kind for one table": usage(
    `pearl ${review} x.csv --kind one-to-one`,
    "--kind is about two tables: name both, or leave it out",
    `${answers(`${review} x.csv y.csv --kind one-to-one`)}; ` +
      `echo Acme GmbH,Berlin >> x.csv; pearl dedupe x.csv -m none -q --review-out own.csv; ` +
      answers(`${review.replace("asked", "own")} x.csv`),
  ),
  "the tables of a review in another order": usage(
    `pearl ${review} y.csv x.csv`,
    "x.csv is the left table of asked.csv. Name it first, then y.csv.",
    answers(`${review} x.csv y.csv`),
  ),
  "a table that is no review": usage(
    `pearl ${review.replace("asked", "x")}`,
    "`pearl join` and `pearl dedupe` write one with --review-out FILE.",
    `pearl join x.csv y.csv --on name --model none -q --review-out asked.csv; ${answers(review)}`,
  ),
  "a review on standard input": usage(
    `pearl ${review.replace("asked.csv", "-")} < asked.csv`,
    "Name a .csv, .tsv, .jsonl, .parquet or .xlsx file that --review-out wrote.",
    answers(review),
  ),
  "a review with a word for a decision": usage(
    `sed -i '2s/^/perhaps/' asked.csv; pearl ${review}`,
    '"perhaps" is not a decision. Write yes or no, or leave it empty.',
    `sed -i '2s/^perhaps/yes/' asked.csv; ${answers(review)}; sed -i '2s/^yes/""/' asked.csv; ${answers(review)}`,
  ),
  "tools without their folder": usage(
    mcp("none").replace(/ \| grep.*/, ""),
    "none: no such folder. Name one with --root.",
    `mkdir files && ${mcp("files")}`,
  ),
};

claimCures(
  { ...fewShot, ...servers },
  {
    files: {
      "examples.csv": readFileSync("data/phrases.csv", "utf8"),
      "support.tsv": readFileSync("data/sentences.tsv", "utf8"),
      "new.tsv": "Niels\nBohr\nleft\n",
      "x.csv": "name,city\nAcme,Berlin\nToyota,Aichi\nSiemens,Munich\nBosch,Stuttgart\n",
      "y.csv": "name\nAcme Inc\nToyota Motor\nSiemens AG\nBosch GmbH\n",
    },
    before:
      `pearl index build x.csv -c name -o i.index ${small}; ` +
      "pearl join x.csv y.csv --on name --model none -q --review-out asked.csv",
  },
);
