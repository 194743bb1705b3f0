/** Training joins: aliases of public names, and titles renamed by rule; no benchmark table is among them. */
import { join } from "node:path";
import { createRandom, sampleWithout } from "../../dist/random.js";
import { readRows } from "../training-tables.mjs";
import { renamer } from "./renamings.mjs";

/** Maximum left and right rows of a join. */
const size = { left: 3000, right: 300 };

/**
 * @returns {{ name: string, left: string[], right: string[], truth: number[] }[]} `truth` is the left row of
 *   each right row
 */
export function trainingJoins(dataFolder, seed) {
  return [...aliasJoins(dataFolder, createRandom(seed)), ...renamedJoins(dataFolder, createRandom(seed + 1))];
}

const records = (folder, file) => [...readRows(join(folder, file))];

/** Pairs of alias and name, grouped by source. */
function aliasGroups(folder) {
  const groups = new Map();
  const put = (key, alias, name) => {
    if (alias === name || alias === "" || name === "") return;
    groups.set(key, groups.get(key) ?? []);
    groups.get(key).push([alias, name]);
  };
  for (const [alias, name, source, kind] of records(folder, "pairs/names.tsv.gz")) {
    if (source === "nicknames") continue;
    put(source === "wiki_lead" || source === "ror" ? `${source}_${kind}` : source, alias, name);
  }
  for (const [alias, name, source] of records(folder, "pairs/biomed.tsv.gz")) put(source, alias, name);
  for (const [short, long, source] of records(folder, "pairs/abbrev.tsv.gz")) {
    if (source === "jabref") put(source, short, long);
  }
  for (const [a, b, source, attribute] of records(folder, "pairs/er.tsv.gz"))
    put(`${source}_${attribute}`, a, b);
  return groups;
}

function aliasJoins(folder, random) {
  const joins = [];
  for (const [name, pairs] of aliasGroups(folder)) {
    const names = [...new Set(pairs.map(([, canonical]) => canonical))];
    const known = new Set(names.map((canonical) => canonical.toLowerCase()));
    const shuffled = sampleWithout(names, names.length, random);
    for (let copy = 0; copy < (pairs.length > 12_000 ? 2 : 1); copy++) {
      const left = shuffled.slice(copy * size.left, (copy + 1) * size.left);
      const rowOf = new Map(left.map((canonical, row) => [canonical, row]));
      const usable = pairs.filter(
        ([alias, canonical]) => rowOf.has(canonical) && !known.has(alias.toLowerCase()),
      );
      const chosen = new Map(sampleWithout(usable, size.right, random));
      const right = [...chosen.keys()];
      if (left.length < 100 || right.length < 50) continue;
      joins.push({
        name: `${name} ${copy + 1}`,
        left,
        right,
        truth: right.map((alias) => rowOf.get(chosen.get(alias))),
      });
    }
  }
  return joins;
}

const year = /\b(1[5-9]\d\d|20\d\d)\b/;

function renamedJoins(folder, random) {
  const titles = [...new Map(records(folder, "gloss_wiki.tsv.gz").map(([title, , type]) => [title, type]))];
  const ofType = (wanted) => titles.filter(([, type]) => type === wanted);
  const groups = {
    parentheses: titles.filter(([title]) => title.endsWith(")")),
    works: ofType("WORK_OF_ART").filter(([title]) => title.endsWith(")")),
    years: titles.filter(([title]) => year.test(title)),
    moreYears: titles.filter(([title]) => year.test(title)),
    of: titles.filter(([title]) => / of /.test(title)),
    plain: ofType(""),
    organisations: ofType("ORG"),
    moreOrganisations: ofType("ORG"),
    events: ofType("EVENT"),
    moreEvents: ofType("EVENT"),
    persons: ofType("PERSON"),
    moreWorks: ofType("WORK_OF_ART"),
    regions: ofType("GPE"),
    facilities: ofType("FAC"),
    places: ofType("LOC"),
    products: ofType("PRODUCT"),
  };
  return Object.entries(groups).map(([name, group]) => {
    const left = sampleWithout(
      group.map(([title]) => title),
      size.left,
      random,
    );
    const rename = renamer(left, random);
    const known = new Set(left);
    const [right, truth] = [[], []];
    for (const row of sampleWithout([...left.keys()], size.right * 1.1, random)) {
      const title = rename(left[row]);
      if (title === undefined || known.has(title)) continue;
      right.push(title);
      truth.push(row);
    }
    return { name: `renamed ${name}`, left, right, truth };
  });
}
