/**
 * Time and memory of matching large made tables of five columns, beside the nearest row by TF-IDF of whole rows.
 *
 *     npm run build && node benchmarks/match-scale.mjs [--task join|dedupe] [--rows 100000] [--model none|default]
 *       [--threads N] [--only pearl|tfidf] [--json FILE]
 *
 * --rows counts the rows of each table. The tables are persons: name, street, city, phone and date of birth. Half of the
 * rows of a join have a partner; of a table to dedupe, 15 % of the rows repeat another. Every second cell of a repeated row
 * may be miswritten, abbreviated, exchanged or empty. The peer is the TF-IDF baseline of `pearl bench --task er`, with the
 * threshold that is best for these tables. Each runs in a process of its own, one after the other; on a busy machine
 * compare the processor times.
 */
import { fileURLToPath } from "node:url";
import { nearestRows } from "../dist/benchmark/baselines/tfidf.js";
import { pairScores } from "../dist/benchmark/metrics.js";
import { pairsInside } from "../dist/benchmark/tasks/er.js";
import { readOptions } from "../scripts/options.mjs";
import { personsOfOneTable, personsOfTwoTables } from "./made-persons.mjs";
import { machine, printedBy, round, stopwatch, writeRecord } from "./measuring.mjs";

const { values } = readOptions("task=join rows=100000 model=none threads only json child?");
const rows = Number(values.rows);
const isJoin = values.task === "join";

function compare() {
  const methods = values.only === undefined ? ["tfidf", "pearl"] : [values.only];
  const own = [fileURLToPath(import.meta.url), ...process.argv.slice(2), "--child"];
  const results = Object.fromEntries(
    methods.map((method) => [method, printedBy([...own, "--only", method])]),
  );
  const record = { task: values.task, rows, model: values.model, machine: machine(), results };
  writeRecord(record, values.json);
}

async function measure(method) {
  const { left, right, entityOf, pairs } = isJoin ? personsOfTwoTables(rows) : personsOfOneTable(rows);
  const gold = new Set(
    isJoin ? Array.from({ length: pairs }, (_, row) => row * rows + row) : pairsInside(entityOf),
  );
  const watch = stopwatch();
  const found =
    method === "tfidf" ? { pairs: nearestRows(left, right, gold), more: {} } : await matched(left, right);
  const { seconds, processorSeconds } = watch();
  return {
    seconds: round(seconds, 1),
    processorSeconds: round(processorSeconds, 1),
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    ...pairScores(found.pairs, gold),
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
  const joined = isJoin && (await matchTables(left, right, options));
  const grouped = !isJoin && (await groupRows(left, options));
  options.onProgress("end");
  const { estimate, promise } = joined || grouped;
  const pairs = joined
    ? joined.matches.map((match) => match.left * rows + match.right)
    : pairsInside(grouped.groupOf);
  return { pairs, more: { estimate, established: promise.established, stages } };
}

if (values.child) console.log(JSON.stringify(await measure(values.only)));
else compare();
