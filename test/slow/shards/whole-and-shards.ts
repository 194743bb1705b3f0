/** Runs a command whole and in shards, in a folder of its own, with the compiled command line. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { pearl } from "../../cli/run-cli.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-shards-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A new folder with these files. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(folder, "case-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
}

/** Runs a command that must succeed. */
export async function run(cwd: string, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await pearl([...words, "-q"], { cwd });
  expect(code, `pearl ${words.join(" ")}\n${stderr}`).toBe(0);
  return stdout;
}

/** Writes all parts into `parts/`, after a first pass if there are two. @returns their paths, in a shuffled order */
export async function runShards(
  cwd: string,
  count: number,
  words: readonly string[],
  passes: "one" | "two" = "one",
): Promise<string[]> {
  mkdirSync(join(cwd, "parts"), { recursive: true });
  const learned = passes === "two" ? ["--learned", "parts/learned.part"] : [];
  if (passes === "two") await run(cwd, ...words, "--learn", "parts/learned.part");
  const parts: string[] = [];
  for (let index = 1; index <= count; index++) {
    const part = `parts/${index}.part`;
    await run(cwd, ...words, "--shard", `${index}/${count}`, "-o", part, ...learned);
    if (index % 2 === 0) parts.push(part);
    else parts.unshift(part);
  }
  return parts;
}

/** What a report says, but for the time that was spent. */
export const withoutTime = (json: string): unknown =>
  JSON.parse(json, (key, value) => (key === "seconds" ? undefined : value));

/** Two tables of made-up people as CSV; of the second, most are in the first, some misspelt. */
export function peopleTables(rows: number, random: () => number): Record<"left.csv" | "right.csv", string> {
  const one = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)];
  const first = ["Anna", "Peter", "María", "John", "Olga", "Kofi", "Chen", "Ivan", "Lucia", "Omar"];
  const last = ["Schmidt", "Vogel", "Müller", "Smith", "Petrov", "Mensah", "Wei", "García", "Haddad"];
  const cities = ["Berlin", "Paris", "Rome", "Oslo", "Accra", "Delhi"];
  const [left, right] = [["id,name,city,born,phone"], ["id,name,city,born,phone"]];
  for (let row = 0; row < rows; row++) {
    const name = `${one(first)} ${one(last)}-${one(last)}`;
    const born = `${1940 + Math.floor(random() * 70)}-0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 10)}`;
    const [city, phone] = [one(cities), `0${100_000 + Math.floor(random() * 899_999)}`];
    left.push([row, name, city, born, phone].join());
    if (random() < 0.3) continue;
    const at = Math.floor(random() * (name.length - 1));
    const typed = random() < 0.5 ? name : name.slice(0, at) + name.slice(at + 1);
    right.push(
      [
        5000 + row,
        typed,
        random() < 0.8 ? city : "",
        random() < 0.8 ? born : "",
        random() < 0.8 ? phone : "",
      ].join(),
    );
  }
  return { "left.csv": `${left.join("\n")}\n`, "right.csv": `${right.join("\n")}\n` };
}
