/**
 * Time and memory of matching large made tables of five columns, beside the nearest row by TF-IDF of whole rows.
 *
 *     npm run build && node benchmarks/match-scale.mjs [--task join|dedupe] [--rows 100000] [--model none|default]
 *       [--threads N] [--only pearl|tfidf] [--json FILE]
 *
 * --rows counts the rows of each table. The tables are persons: name, street, city, phone and date of birth. Half of the
 * rows of a join have a partner; of a table to dedupe, 15 % of the rows repeat another. Every second cell of a repeated row
 * may be miswritten, abbreviated, exchanged or empty. The peer is the search of the TF-IDF baseline of `pearl bench --task
 * er` with the threshold that is best for these tables. Each runs in a process of its own, one after the other;
 * on a busy machine compare the processor times.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { personsOfOneTable, personsOfTwoTables } from "./made-persons.mjs";

const { values } = parseArgs({
  options: {
    task: { type: "string", default: "join" },
    rows: { type: "string", default: "100000" },
    model: { type: "string", default: "none" },
    threads: { type: "string" },
    only: { type: "string" },
    json: { type: "string" },
    child: { type: "boolean", default: false },
  },
});
const rows = Number(values.rows);
const isJoin = values.task === "join";

function compare() {
  const run = (only) => {
    const args = [...process.argv.slice(2), "--only", only, "--child"];
    const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const result = JSON.parse(output.toString());
    console.log(only, result);
    return result;
  };
  const methods = values.only === undefined ? ["tfidf", "pearl"] : [values.only];
  const results = Object.fromEntries(methods.map((method) => [method, run(method)]));
  if (methods.length === 2) {
    const { tfidf, pearl } = results;
    const ratio = (key) => (pearl[key] / tfidf[key]).toFixed(2);
    console.log(
      `pearl / tfidf: ${ratio("seconds")} × the time, ${ratio("processorSeconds")} × the processor time, ` +
        `${ratio("peakMegabytes")} × the memory`,
    );
  }
  if (values.json === undefined) return;
  const machine = { processor: cpus()[0].model, cores: availableParallelism(), node: process.version };
  const record = { task: values.task, rows, model: values.model, machine, results };
  writeFileSync(values.json, `${JSON.stringify(record, null, 1)}\n`);
}

async function measure(method) {
  const { left, right, isPair, pairs } = isJoin ? personsOfTwoTables(rows) : personsOfOneTable(rows);
  const [started, before] = [performance.now(), process.cpuUsage()];
  const found = method === "tfidf" ? await nearestRows(left, right, isPair) : await matched(left, right);
  const { user, system } = process.cpuUsage(before);
  const good = found.pairs.filter(([a, b]) => isPair(a, b)).length;
  const [precision, recall] = [good / found.pairs.length, good / pairs];
  return {
    seconds: Math.round((performance.now() - started) / 100) / 10,
    processorSeconds: Math.round((user + system) / 1e5) / 10,
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    ...{ precision, recall, f1: (2 * precision * recall) / (precision + recall) },
    ...found.more,
  };
}

async function matched(left, right) {
  const { matchTables } = await import("../dist/join/match-tables.js");
  const { groupRows } = await import("../dist/group/group-rows.js");
  const stages = {};
  let last = { stage: "reading columns", time: performance.now() };
  const options = {
    encoder: values.model === "none" ? "none" : undefined,
    threads: values.threads && Number(values.threads),
    onProgress: (stage) => {
      if (stage === last.stage) return;
      const time = performance.now();
      stages[last.stage] = Math.round((stages[last.stage] ?? 0) + (time - last.time)) / 1000;
      last = { stage, time };
      process.stderr.write(`${stage}, ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB\n`);
    },
  };
  const result = isJoin ? await matchTables(left, right, options) : await groupRows(left, options);
  options.onProgress("end");
  const { estimate, promise } = result;
  const pairs = isJoin ? result.matches.map(({ left: a, right: b }) => [a, b]) : pairsInside(result.groupOf);
  return { pairs, more: { estimate, established: promise.established, stages } };
}

function pairsInside(groupOf) {
  const groups = new Map();
  groupOf.forEach((group, row) => {
    if (groups.has(group)) groups.get(group).push(row);
    else groups.set(group, [row]);
  });
  return [...groups.values()].flatMap((members) =>
    members.flatMap((a, place) => members.slice(place + 1).map((b) => [a, b])),
  );
}

/** The nearest row of each row by TF-IDF, above the threshold of the best F1. */
async function nearestRows(left, right, isPair) {
  const { indexTerms, termRows } = await import("../dist/match/candidates/grams.js");
  const { TermSearch } = await import("../dist/match/candidates/term-search.js");
  const { foldPhrase } = await import("../dist/match/evidence/phrase.js");
  const textsOf = (table) =>
    table.name.map((_, row) =>
      foldPhrase(
        Object.values(table)
          .map((cells) => cells[row])
          .join(" "),
      ),
    );
  const terms = termRows(textsOf(left), isJoin ? textsOf(right) : []);
  const search = new TermSearch(indexTerms(terms.left, terms.statistics.documents.length), terms.left);
  const ranked = [];
  for (let row = 0; row < rows; row++) {
    const accept = isJoin ? undefined : (other) => other < row;
    const limits = { k: 1, postings: 20_000, accept };
    for (const best of search.find(isJoin ? terms.right : terms.left, row, limits))
      ranked.push({ pair: [best.row, row], score: best.score });
  }
  ranked.sort((a, b) => b.score - a.score);
  let [good, best, bestF1] = [0, 0, 0];
  const all = ranked.filter(({ pair: [a, b] }) => isPair(a, b)).length;
  ranked.forEach(({ pair: [a, b] }, place) => {
    if (isPair(a, b)) good++;
    const f1 = (2 * good) / (place + 1 + all);
    if (f1 > bestF1) [best, bestF1] = [place + 1, f1];
  });
  return { pairs: ranked.slice(0, best).map(({ pair }) => pair), more: {} };
}

if (values.child) console.log(JSON.stringify(await measure(values.only)));
else compare();
