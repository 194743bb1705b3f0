/**
 * Recall of a search ordered by embeddings, by words and by both, as in docs/search.md: made names of companies without their legal
 * form, codes among goods, and, where ../shared/data/bench has them, AutoFJ's names (means of the sets) and YAGO's aliases.
 *
 *     npm run build && node benchmarks/search-words.mjs [--queries 2000] [--model pearl-mini] [--data FOLDER]
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PhraseEncoder, searchPhrases, VectorIndex } from "../dist/index.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { mean } from "../dist/statistics.js";
import { readColumns } from "../dist/table/whole-table.js";
import { readOptions } from "../scripts/options.mjs";
import { stopwatch } from "./measuring.mjs";

const { values: options } = readOptions("queries=2000 model=pearl-mini data=bench");
const folder = mkdtempSync(join(tmpdir(), "pearl-search-words-"));
const encoder = await PhraseEncoder.load(options.model);
const random = createRandom(1);
const below = (/** @type {number} */ count) => Math.floor(random() * count);
const letter = () => String.fromCharCode(97 + below(26));
const [surnames, trades, forms, towns, goods] = [
  "Müller;Schäfer;Köhler;Krüger;Jäger;Böhm;Weiß;Groß;Becker;Huber;Lefèvre;Núñez;Åkesson;Rossi;Smith;Turner",
  "Elektrotechnik;Maschinenbau;Bau;Logistik;Metallbau;Holzhandel;Software;Immobilien;Gartenbau;Verlag;Textil;" +
    "Möbel;Optik;Anlagenbau;Werkzeugbau;Autohaus;Reisen;Pharma;Medizintechnik;Energie",
  "GmbH;GmbH & Co. KG;AG;KG;OHG;Ltd.;Inc.;S.A.;S.p.A.;B.V.;AB;SE;UG (haftungsbeschränkt);Sp. z o.o.",
  ";Ulm;Nord;Süd;Köln;Graz;Linz",
  "hex bolt;ball bearing;pressure valve;steel pipe;relay;fuse;gasket;drill bit;pump;sensor",
].map((text) => text.split(";"));
const spelt = { ä: "ae", ö: "oe", ü: "ue", ß: "ss", Ä: "Ae", Ö: "Oe", Ü: "Ue" };

console.log(`| asked for | rows | queries | embeddings | words | both | queries/s |\n${"| --- ".repeat(7)}|`);
const all = surnames.flatMap((name) =>
  trades.flatMap((trade) => towns.map((town) => `${name} ${trade} ${town}`)),
);
const bare = sampleWithout(all, 2000, random).map((name) => name.trim());
const names = bare.map((name) => `${name} ${forms[below(forms.length)]}`);
await measure("companies without legal form", [{ names, queries: bare }]);
const queries = bare.map((name) => name.replace(/[äöüßÄÖÜ]/g, (sign) => spelt[sign]));
await measure("the same with ae for ä", [{ names, queries }]);
const edited = bare.map((name) => name.replace(name[1 + below(name.length - 1)], letter()));
await measure("the same with one letter changed", [{ names, queries: edited }]);
const codes = bare.map(() => `${letter()}${letter()}-${1000 + below(9000)}-${letter()}`.toUpperCase());
await measure("codes", [{ names: codes.map((code) => `${goods[below(10)]} ${code}`), queries: codes }]);
if (existsSync(options.data)) {
  const sets = readdirSync(join(options.data, "autofj")).map(async (set) => {
    const [names] = await readColumns(join(options.data, "autofj", set, "left.csv"), ["title"]);
    const gold = join(options.data, "autofj", set, "gt.csv");
    const [answers, queries] = await readColumns(gold, ["title_l", "title_r"]);
    return { names, queries, answers };
  });
  await measure("AutoFJ", await Promise.all(sets));
  const [rows, lines] = ["yago_kb_small.txt", "yago_test_samples.txt"].map((name) =>
    readFileSync(join(options.data, "yago", name), "utf8")
      .trimEnd()
      .split(/\n/),
  );
  const asked = lines.map((line) => line.split("\t")).filter(([alias, name]) => alias !== name);
  const [aliases, answers] = [0, 1].map((column) => asked.map((pair) => pair[column]));
  await measure("YAGO", [{ names: rows, queries: aliases, answers }]);
}
rmSync(folder, { recursive: true });
await encoder.dispose();

/** Prints recall@1 and @10, means over the sets. @param {{ names: string[], queries: string[], answers?: string[] }[]} sets */
async function measure(/** @type {string} */ what, sets) {
  const recalls = { embeddings: [], words: [], both: [] };
  let [rows, asked, seconds] = [0, 0, 0];
  for (const [at, { names, queries, answers = names }] of sets.entries()) {
    const layout = { columns: ["name"], phraseColumn: "name", dimension: encoder.dimension };
    const { data: vectors } = await encoder.encodeMatrix(names);
    const batch = { vectors, cells: names.map((name) => [name]) };
    const index = await VectorIndex.build(join(folder, `${what} ${at}`), [batch], layout);
    const some = queries.slice(0, Number(options.queries));
    [rows, asked] = [rows + names.length, asked + some.length];
    for (const ranking of /** @type {const} */ (["embeddings", "words", "both"])) {
      await searchPhrases(index, encoder, some.slice(0, 1), { ranking });
      const watch = stopwatch();
      const found = await searchPhrases(index, encoder, some, { ranking });
      if (ranking === "both") seconds += watch().processorSeconds;
      const isFound = (k) => (hits, row) =>
        Number(hits.slice(0, k).some(({ cells }) => cells.name === answers[row]));
      recalls[ranking].push([1, 10].map((k) => mean(found.map(isFound(k)))));
    }
    await index.close();
  }
  const shown = (sets) => [0, 1].map((k) => mean(sets.map((recall) => recall[k])).toFixed(3)).join(", ");
  const row = [what, rows, asked, ...Object.values(recalls).map(shown), Math.round(asked / seconds)];
  console.log(`| ${row.join(" | ")} |`);
}
