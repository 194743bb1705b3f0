/** Made-up persons with known duplicates: tables whose true pairs a test knows. */
import { createRandom, type Random } from "../../src/random.js";

export type Table = Record<string, string[]>;

const syllables =
  "ba be bo da de do fa ka ke ko la le lo ma me mo na ne no ra re ro sa se so ta te to va ve".split(" ");
const cities = "Amberg Bern Calais Delft Essen Florenz Genua Halle Ilmenau Jena Kassel Lugano".split(" ");

const pick = <Item>(items: readonly Item[], random: Random): Item =>
  items[Math.floor(random() * items.length)];
const word = (random: Random, parts: number): string => {
  const text = Array.from({ length: parts }, () => pick(syllables, random)).join("");
  return text[0].toUpperCase() + text.slice(1);
};
const digits = (count: number, random: Random): string =>
  Array.from({ length: count }, () => Math.floor(random() * 10)).join("");

interface Person {
  readonly name: string;
  readonly city: string;
  readonly born: string;
  readonly phone: string;
}

function person(random: Random): Person {
  const two = (most: number): string => String(1 + Math.floor(random() * most)).padStart(2, "0");
  return {
    name: `${word(random, 2)} ${word(random, 3)}`,
    city: pick(cities, random),
    born: `${1930 + Math.floor(random() * 80)}-${two(12)}-${two(28)}`,
    phone: `0${digits(3, random)} ${digits(7, random)}`,
  };
}

/** A letter of the name left out, a cell left empty, a slip in the phone number. */
function miswritten({ name, city, born, phone }: Person, random: Random): Person {
  const at = 1 + Math.floor(random() * (name.length - 2));
  const place = 5 + Math.floor(random() * 7);
  return {
    name: random() < 0.5 ? name.slice(0, at) + name.slice(at + 1) : name,
    city: random() < 0.2 ? "" : city,
    born: random() < 0.2 ? "" : born,
    phone: random() < 0.3 ? phone.slice(0, place) + digits(1, random) + phone.slice(place + 1) : phone,
  };
}

const toTable = (persons: readonly Person[]): Table => ({
  name: persons.map(({ name }) => name),
  city: persons.map(({ city }) => city),
  born: persons.map(({ born }) => born),
  phone: persons.map(({ phone }) => phone),
});

/** Two tables in which left row i and right row i are the same for i < `common`; other rows have no partner. */
export function twoTables(common: number, alone: number, seed = 1): { left: Table; right: Table } {
  const random = createRandom(seed);
  const shared = Array.from({ length: common }, () => person(random));
  const others = (): Person[] => Array.from({ length: alone }, () => person(random));
  return {
    left: toTable([...shared, ...others()]),
    right: toTable([...shared.map((one) => miswritten(one, random)), ...others()]),
  };
}

/** One table of `persons` with one to three rows each, and the person of each row. */
export function tableWithDuplicates(persons: number, seed = 1): { table: Table; entities: number[] } {
  const random = createRandom(seed);
  const rows: Person[] = [];
  const entities: number[] = [];
  for (let entity = 0; entity < persons; entity++) {
    const original = person(random);
    for (let copy = 0; copy <= entity % 3; copy++) {
      rows.push(copy === 0 ? original : miswritten(original, random));
      entities.push(entity);
    }
  }
  return { table: toTable(rows), entities };
}

/**
 * Persons, a row each, and visits: one to four rows for each of the first `visiting` persons, and `strangers` of persons
 * without a row. `personOf` has the person of each visit, -1 for strangers.
 */
export function personsAndVisits(persons: number, visiting: number, strangers: number, seed = 1) {
  const random = createRandom(seed);
  const listed = Array.from({ length: persons }, () => person(random));
  const visits: Person[] = [];
  const personOf: number[] = [];
  for (let row = 0; row < visiting; row++) {
    for (let visit = 0; visit <= row % 4; visit++) {
      visits.push(miswritten(listed[row], random));
      personOf.push(row);
    }
  }
  for (let row = 0; row < strangers; row++) {
    visits.push(person(random));
    personOf.push(-1);
  }
  return { persons: toTable(listed), visits: toTable(visits), personOf };
}
