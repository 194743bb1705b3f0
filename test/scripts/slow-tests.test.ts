/** The list of what slow tests are about names folders, files and tests that exist. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = <T>(name: string): Record<string, T> =>
  JSON.parse(readFileSync(join(root, "test/slow", name), "utf8"));

describe("the slow tests", () => {
  it("are about folders and files that exist, and so are those that passed", () => {
    const subjects = read<string[]>("subjects.json");
    const tests = [...Object.keys(subjects), ...Object.keys(read<string>("passed.json"))];
    const paths = [...tests.map((test) => `test/slow/${test}`), ...Object.values(subjects).flat()];
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
