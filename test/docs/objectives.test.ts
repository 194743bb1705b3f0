/** docs/objectives.md is what scripts/objectives-page.mjs makes of the heads of the objectives' files. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { objectives } from "../../src/objectives/registry.js";

interface Entry {
  name: string;
  head: string;
  settings: object;
}
const { objectivesPage, readHeads } = (await import(
  new URL("../../scripts/objectives-page.mjs", import.meta.url).href
)) as { objectivesPage: (entries: Entry[]) => string; readHeads: () => Map<string, string> };

const heads = readHeads();
const entries = Object.entries(objectives).map(([name, { settings }]) => ({
  ...{ name, settings },
  head: heads.get(name) ?? "",
}));

it("is up to date: if not, run npm run build && node scripts/objectives-page.mjs", () => {
  expect(readFileSync("docs/objectives.md", "utf8")).toBe(objectivesPage(entries));
});

it("finds in each head the formula, its source, the data it needs and when to choose it", () => {
  for (const { name, head } of entries) {
    expect(head, name).toMatch(/^ \*\n \* {5}\S/m);
    for (const label of ["Source: .*\\(\\d{4}\\)", "Data: ", "Choose it "])
      expect(head, name).toMatch(new RegExp(`^ \\* ${label}`, "m"));
  }
});

it("names each objective in its table and in a section", () => {
  const page = readFileSync("docs/objectives.md", "utf8");
  for (const { name } of entries) {
    expect(page).toContain(`| [\`${name}\`](#${name}) |`);
    expect(page).toContain(`\n## ${name}\n`);
  }
});
