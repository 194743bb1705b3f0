/**
 * Tables of made persons to measure matching with: name, street, city, phone and date of birth. Every second cell of a repeated
 * row may be miswritten, abbreviated, exchanged or empty.
 */
import { appendFile } from "node:fs/promises";

function writer() {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (count) => Math.floor(random() * count);
  const syllables =
    "ba ber da del en fa gar hol in jo ka ler ma mer na no pe ra ro sa ser ta to ul va wei".split(" ");
  const words = (count, parts) =>
    Array.from({ length: count }, () => {
      const text = Array.from({ length: parts() }, () => syllables[below(syllables.length)]).join("");
      return text[0].toUpperCase() + text.slice(1);
    });
  const [given, family] = [words(2_000, () => 2), words(40_000, () => 2 + below(3))];
  const [streets, cities] = [words(8_000, () => 2 + below(2)), words(1_500, () => 2 + below(2))];
  // Early words are common, as names are.
  const frequent = (list) => list[Math.floor(list.length * random() ** 3)];
  const two = (most) => String(1 + below(most)).padStart(2, "0");
  const person = () => [
    `${frequent(given)} ${frequent(family)}`,
    `${frequent(streets)} ${random() < 0.7 ? "Street" : "Road"} ${1 + below(180)}`,
    frequent(cities),
    String(2e9 + below(7e9)),
    `${1930 + below(80)}-${two(12)}-${two(28)}`,
  ];
  const slip = (text) => {
    const at = 1 + below(text.length - 1);
    const letter = /\d/.test(text[at]) ? String(below(10)) : "aeinrst"[below(7)];
    return text.slice(0, at) + letter + text.slice(at + below(2));
  };
  const miswritten = (cell, column) => {
    const kind = random();
    if (kind < 0.5) return cell;
    if (kind < 0.6) return "";
    if (kind < 0.7 && column === 0) return cell.split(" ").reverse().join(" ");
    if (kind < 0.8 && column === 0) return cell.replace(/^(.)\S+/, "$1.");
    if (kind < 0.8 && column === 1) return cell.replace("Street", "St.").replace("Road", "Rd");
    return kind < 0.9 ? slip(cell) : cell;
  };
  const restart = (seed) => {
    state = seed;
  };
  return { person, miswritten, random, restart };
}

const header = ["name", "street", "city", "phone", "born"];
const toTable = (list) =>
  Object.fromEntries(header.map((name, column) => [name, list.map((cells) => cells[column])]));

/** Two tables; the first half of their rows are the same persons. */
export function personsOfTwoTables(rows) {
  const { person, miswritten } = writer();
  const [left, common] = [Array.from({ length: rows }, person), Math.floor(rows / 2)];
  const right = left.map((cells, row) => (row < common ? cells.map(miswritten) : person()));
  return { left: toTable(left), right: toTable(right), pairs: common };
}

/** One table, of whose rows 15 % repeat another. */
export function personsOfOneTable(rows) {
  const { person, miswritten, random } = writer();
  const list = [];
  /** First row of the same person. */
  const firstOf = [];
  const copies = new Map();
  let pairs = 0;
  for (let row = 0; row < rows; row++) {
    const isCopy = row > 0 && random() < 0.15;
    firstOf.push(isCopy ? firstOf[Math.floor(row * random())] : row);
    const first = firstOf[row];
    list.push(isCopy ? list[first].map(miswritten) : person());
    const known = copies.get(first) ?? 0;
    pairs += known;
    copies.set(first, known + 1);
  }
  return { left: toTable(list), entityOf: firstOf, pairs };
}

/** Rows of such a table, one after the other: only the last rows that may be repeated are in memory. */
export function* personRows(rows, kept = 100_000) {
  const { person, miswritten, random } = writer();
  const recent = [];
  for (let row = 0; row < rows; row++) {
    const isCopy = row > 0 && random() < 0.15;
    if (isCopy) yield recent[Math.floor(random() * recent.length)].map(miswritten);
    else {
      const cells = person();
      recent[recent.length < kept ? recent.length : row % kept] = cells;
      yield cells;
    }
  }
}

/** The right table beside {@link personRows}: half of its rows repeat rows from all over the left one, the others are new. */
export function* rightPersonRows(leftRows, rows) {
  const { person, miswritten, restart } = writer();
  restart(2 ** 31 + 7);
  const repeated = Math.min(leftRows, Math.floor(rows / 2));
  let [at, made] = [0, 0];
  for (const cells of personRows(leftRows)) {
    if (made === repeated) break;
    if (at++ < Math.floor((made * leftRows) / repeated)) continue;
    made++;
    yield cells.map(miswritten);
  }
  for (let row = repeated; row < rows; row++) yield person();
}

/** Writes rows as a CSV table. */
export async function writeTable(path, rows) {
  let lines = ["name,street,city,phone,born"];
  for (const cells of rows) {
    lines.push(cells.join());
    if (lines.length < 50_000) continue;
    await appendFile(path, `${lines.join("\n")}\n`);
    lines = [];
  }
  if (lines.length > 0) await appendFile(path, `${lines.join("\n")}\n`);
}
