/**
 * Recall and speed of an index's search by embeddings, by words and by both: 2,000 made names of companies, asked for without their
 * legal form and written in other ways, and YAGO's and AutoFJ's names where ../shared/data/bench has them.
 *
 *     npm run build && node benchmarks/search-words.mjs [--queries 1000] [--json FILE]
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PhraseEncoder, VectorIndex } from "../dist/index.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { rankedByWords } from "../dist/search/ranked-by-words.js";
import { readColumns } from "../dist/table/whole-table.js";
import { machine, readOptions, round, stopwatch } from "./measuring.mjs";

const { values: options } = readOptions("queries=1000 json");
const most = Number(options.queries);
const data = new URL("../../shared/data/bench/", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "pearl-search-words-"));
const encoder = await PhraseEncoder.load();
const dimension = encoder.dimension;

const surnames =
  "Müller Schäfer Köhler Krüger Schröder Jäger Böhm Schütte Weiß Groß Kühn Möller Becker Keller Huber Lange Dubois Lefèvre Moreau Núñez García Åkesson Sørensen Ferrari Bianchi Rossi Smith Walker Parker Turner";
const trades =
  "Elektrotechnik Maschinenbau Bau Logistik Metallbau Holzhandel Software Consulting Immobilien Heizung Gartenbau Verlag Textil Möbel Optik Kältetechnik Anlagenbau Werkzeugbau Autohaus Reisen Pharma Medizintechnik Energie Transporte";
const forms =
  "GmbH;GmbH & Co. KG;AG;KG;OHG;Ltd.;Inc.;S.A.;S.p.A.;B.V.;AB;SE;UG (haftungsbeschränkt);Sp. z o.o.".split(
    ";",
  );
const places = ["", "", "Ulm", "Nord", "Süd", "Köln"];
const ae = { ä: "ae", ö: "oe", ü: "ue", ß: "ss", Ä: "Ae", Ö: "Oe", Ü: "Ue" };
const spellings = {
  "without legal form": (name) => name,
  "in lower case": (name) => name.toLowerCase(),
  "with ae for ä": (name) => name.replace(/[äöüßÄÖÜ]/g, (letter) => ae[letter]),
};

const results = [];
const random = createRandom(1);
const all = surnames
  .split(" ")
  .flatMap((surname) =>
    trades
      .split(" ")
      .flatMap((trade) => [...new Set(places)].map((place) => `${surname} ${trade} ${place}`.trim())),
  );
const bare = sampleWithout(all, 2000, random);
const full = bare.map((name) => `${name} ${forms[Math.floor(random() * forms.length)]}`);
for (const [name, written] of Object.entries(spellings))
  await measure(`2,000 companies, ${name}`, full, bare.slice(0, most).map(written), (row) => [row]);
if (existsSync(data)) {
  for (const set of readdirSync(join(data, "autofj")).filter((_, at) => at % 5 === 0)) await autofj(set);
  await yago();
}
rmSync(folder, { recursive: true });
await encoder.dispose();
if (options.json) writeFileSync(options.json, `${JSON.stringify({ ...machine(), results }, null, 2)}\n`);

async function autofj(set) {
  const [ids, titles] = await readColumns(join(data, "autofj", set, "left.csv"), ["id", "title"]);
  const [lefts, , names] = await readColumns(join(data, "autofj", set, "gt.csv"), [
    "id_l",
    "id_r",
    "title_r",
  ]);
  const places = lefts.map((id) => ids.indexOf(id));
  await measure(`AutoFJ ${set}`, titles, names.slice(0, most), (row) => [places[row]]);
}

async function yago() {
  const names = readFileSync(join(data, "yago/yago_kb_small.txt"), "utf8").trimEnd().split("\n");
  const rows = new Map(names.map((name, row) => [name, row]));
  const lines = readFileSync(join(data, "yago/yago_test_samples.txt"), "utf8").trimEnd().split("\n");
  const pairs = lines
    .map((line) => line.split("\t"))
    .filter(([alias, name]) => alias !== name && rows.has(name));
  const asked = pairs.slice(0, most);
  await measure(
    "YAGO",
    names,
    asked.map(([alias]) => alias),
    (row) => [rows.get(asked[row][1])],
  );
}

async function measure(set, names, queries, answersOf) {
  const path = join(folder, `${results.length}.index`);
  const { data: vectors } = await encoder.encodeMatrix(names);
  const layout = { dimension, columns: ["name"], phraseColumn: "name" };
  const index = await VectorIndex.build(path, [{ vectors, cells: names.map((name) => [name]) }], layout);
  const asked = (await encoder.encodeMatrix(queries)).data;
  const searched = async (settings) => {
    await index.search(asked.subarray(0, dimension), { ...settings, phrases: settings.phrases?.slice(0, 1) });
    const watch = stopwatch();
    const hits = await index.search(asked, settings);
    const { processorSeconds } = watch();
    return { hits, perSecond: Math.round(queries.length / processorSeconds) };
  };
  const embeddings = await searched({ k: 10 });
  const both = await searched({ k: 10, phrases: queries });
  const wide = await searched({ k: 60, phrases: queries });
  const words = wide.hits.map((hits, row) =>
    rankedByWords(
      queries[row],
      hits.map(({ cells, key }) => ({ key, score: 0, cells: [cells.name] })),
      0,
    ),
  );
  await index.close();
  const recall = (hits) =>
    [1, 10].map((k) => {
      const isFound = (found, row) =>
        found.slice(0, k).some(({ key }) => answersOf(row).includes(Number(key) - 1));
      return round(hits.filter(isFound).length / queries.length, 3);
    });
  const result = {
    ...{ set, rows: names.length, queries: queries.length },
    recallAt1And10: { embeddings: recall(embeddings.hits), words: recall(words), both: recall(both.hits) },
    queriesPerProcessorSecond: { embeddings: embeddings.perSecond, both: both.perSecond },
  };
  results.push(result);
  console.log(JSON.stringify(result));
}
