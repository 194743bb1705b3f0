/**
 * What new rows cost `pearl link`: time of a first link of a table of five columns, of 1 % more rows, and of a table that the
 * store knows already, which is what starting and reading take.
 *
 *     npm run build && node benchmarks/link.mjs [--rows 100000] [--model none|default] [--runs 3] [--json FILE]
 *
 * The new rows are linked to copies of one store, `runs` times; medians are shown. Each run is a process of its own.
 * On a busy machine compare the processor times.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { personsOfOneTable } from "./made-persons.mjs";
import { machine, median, readOptions } from "./measuring.mjs";

const { values, positionals } = readOptions("rows=100000 model=none runs=3 json");

/** One process: links a table, and prints what it did and took. */
async function child([table, store]) {
  const { linkTable } = await import("../dist/link/link-table.js");
  const options = values.model === "none" ? { encoder: "none" } : {};
  const { added, created, hasLearned, linked } = await linkTable(table, store, options);
  const { user, system } = process.cpuUsage();
  const used = {
    seconds: performance.now() / 1000,
    processorSeconds: (user + system) / 1e6,
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
  };
  console.log(JSON.stringify({ ...used, added, created, hasLearned, linked }));
}

function measure(folder) {
  const rows = Number(values.rows);
  const { left } = personsOfOneTable(rows + Math.ceil(rows / 100));
  const write = (name, from, to) => {
    const lines = left.name
      .slice(from, to)
      .map((_, at) => Object.values(left).map((cells) => `"${cells[from + at]}"`));
    writeFileSync(join(folder, name), [Object.keys(left), ...lines].map((line) => line.join()).join("\n"));
    return join(folder, name);
  };
  const [table, more] = [write("table.csv", 0, rows), write("more.csv", rows)];
  const link = (path, store) => {
    const args = [fileURLToPath(import.meta.url), path, store, "--model", values.model];
    return JSON.parse(execFileSync(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }));
  };
  const first = link(table, join(folder, "store"));
  const linked = Array.from({ length: Number(values.runs) }, (_, run) => {
    copyFileSync(join(folder, "store"), join(folder, `store-${run}`));
    return [link(more, join(folder, `store-${run}`)), link(more, join(folder, `store-${run}`))];
  });
  const of = (place) => ({
    ...linked[0][place],
    ...Object.fromEntries(
      ["seconds", "processorSeconds", "peakMegabytes"].map((key) => [
        key,
        median(linked.map((pair) => pair[place][key])),
      ]),
    ),
  });
  return { rows, model: values.model, first, "1 % more": of(0), "the same again": of(1) };
}

if (positionals.length > 0) await child(positionals);
else {
  const folder = mkdtempSync(join(tmpdir(), "pearl-link-"));
  try {
    const found = measure(folder);
    console.log(found);
    for (const key of ["seconds", "processorSeconds"]) {
      const [all, more, again] = ["first", "1 % more", "the same again"].map((name) => found[name][key]);
      const percent = (part) => `${((100 * part) / all).toFixed(2)} %`;
      console.log(
        `${key}: 1 % more rows take ${percent(more)} of a first link, ${percent(more - again)} beyond a run without new rows`,
      );
    }
    if (values.json !== undefined)
      writeFileSync(values.json, `${JSON.stringify({ machine: machine(), ...found }, null, 1)}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
