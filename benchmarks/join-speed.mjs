/**
 * Measures time and memory of fuzzyJoin by table size, each size in a separate process.
 *
 *     npm run build && node benchmarks/join-speed.mjs [SIZE...]
 *
 * A size is LEFTxRIGHT; default: 1000x1000 10000x10000 100000x100000 1000000x10000. Writes
 * benchmarks/results/join-speed.json, which keeps earlier results of other sizes. Names consist of words whose
 * frequencies follow Zipf's law. Right rows are left rows with a typing error, without a word or with words in
 * another order; one right row in five has no match.
 */
import { fork } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { createRandom } from "../dist/random.js";

const defaults = ["1000x1000", "10000x10000", "100000x100000", "1000000x10000"];
const round = (value, digits = 2) => Number(value.toFixed(digits));

/** Makes two tables, and the left row of each right row, -1 without a match. */
function makeTables(leftRows, rightRows) {
  const random = createRandom(leftRows + rightRows);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const syllables =
    "ka lo mi ten var sor bel dan fi gro hu jen pol qui ris stu tor wex yan zel or an el is um".split(" ");
  const made = new Set();
  while (made.size < 40_000) {
    made.add(Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(syllables)).join(""));
  }
  const vocabulary = [...made];
  // The word of rank r has a frequency near 1/r.
  const word = () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? vocabulary[0];
  const name = () => Array.from({ length: 2 + Math.floor(random() * 3) }, word).join(" ");
  const different = new Set();
  while (different.size < leftRows) different.add(`${name()} ${pick(vocabulary)}`);
  const left = [...different];
  const rename = (text) => {
    const words = text.split(" ");
    const draw = random();
    if (draw < 0.3) words.splice(Math.floor(random() * words.length), 1);
    else if (draw < 0.5) words.push(words.shift());
    else {
      const place = Math.floor(random() * words.length);
      const at = Math.floor(random() * words[place].length);
      words[place] = `${words[place].slice(0, at)}${pick(syllables)[0]}${words[place].slice(at + 1)}`;
    }
    return words.join(" ");
  };
  const truth = Array.from({ length: rightRows }, () =>
    random() < 0.2 ? -1 : Math.floor(random() * leftRows),
  );
  const right = truth.map((row) => (row < 0 ? `${name()} ${pick(vocabulary)}` : rename(left[row])));
  return { left, right, truth };
}

/** Measures one join; runs in a separate process. */
async function measure(leftRows, rightRows) {
  const { fuzzyJoin } = await import("../dist/join/fuzzy-join.js");
  const { left, right, truth } = makeTables(leftRows, rightRows);
  const stages = {};
  const before = process.cpuUsage();
  const started = performance.now();
  const { matches } = await fuzzyJoin(left, right, {
    onProgress: (stage, done, total) => {
      if (done === total)
        process.stderr.write(
          `${leftRows} x ${rightRows}: ${stage} done, ${Math.round(process.cpuUsage(before).user / 1e6)} s of processor time\n`,
        );
      stages[stage] ??= performance.now();
    },
  });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  const correct = matches.filter((match) => truth[match.right] === match.left).length;
  return {
    left: leftRows,
    right: rightRows,
    seconds: round(seconds),
    processorSeconds: round((user + system) / 1e6),
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    firstStepOf: Object.fromEntries(
      Object.entries(stages).map(([stage, at]) => [stage, round((at - started) / 1000)]),
    ),
    precision: round(correct / Math.max(1, matches.length), 4),
    recall: round(correct / truth.filter((row) => row >= 0).length, 4),
  };
}

function inOwnProcess(size) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ["--one", size], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    child.on("message", resolve);
    child.on("error", reject);
    child.on("exit", (code) => code !== 0 && reject(new Error(`${size} ended with code ${code}`)));
  });
}

if (process.argv[2] === "--one") {
  const [left, right] = process.argv[3].split("x").map(Number);
  process.send(await measure(left, right));
} else {
  const sizes = process.argv.length > 2 ? process.argv.slice(2) : defaults;
  const folder = new URL("results/", import.meta.url);
  const path = new URL("join-speed.json", folder);
  mkdirSync(folder, { recursive: true });
  const earlier = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).sizes : [];
  const measured = new Map(earlier.map((row) => [`${row.left}x${row.right}`, row]));
  for (const size of sizes) {
    const row = await inOwnProcess(size);
    measured.set(size, row);
    process.stdout.write(`${JSON.stringify(row)}\n`);
    const result = {
      what: "fuzzyJoin without labels on made names, encoding included; seconds of wall time, processor seconds of all threads",
      node: process.version,
      machine: { processor: cpus()[0].model, cores: cpus().length },
      sizes: [...measured.values()].sort((a, b) => a.left * a.right - b.left * b.right || a.left - b.left),
    };
    writeFileSync(path, `${JSON.stringify(result, null, 1)}\n`);
  }
}
