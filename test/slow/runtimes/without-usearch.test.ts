/** Without usearch, `pearl` builds indexes and finds the same rows as with it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { entry } from "../../cli/run-cli.js";
import { withoutUsearch } from "../../search/graph/no-usearch.js";

const root = mkdtempSync(join(tmpdir(), "pearl-without-usearch-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs `pearl`, with or without usearch. */
function pearl(usearch: "present" | "absent", ...parameters: string[]) {
  const without = usearch === "absent" ? withoutUsearch(root) : [];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...without, entry, ...parameters], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("without usearch", () => {
  it("pearl builds an index and finds the same rows as with it, also in an index with a graph", () => {
    const names = [
      "Acme Inc",
      "Toyota Motor",
      "New York Times",
      "Los Angeles Times",
      "Volkswagen",
      "Siemens",
    ];
    writeFileSync(join(root, "names.csv"), `name\n${names.join("\n")}\n`);
    const build = ["index", "build", "names.csv", "-c", "name", "-o"];
    expect(pearl("present", ...build, "graph", "--backend", "hnsw")).toMatchObject({ status: 0 });
    expect(pearl("absent", ...build, "plain")).toMatchObject({ status: 0 });
    const queries = ["the new york times", "VW", "toyota motors corp"];
    const find = (usearch: "present" | "absent", index: string) =>
      pearl(usearch, "search", index, ...queries, "-k", "3", "--json");
    const expected = find("present", "graph");
    expect(expected.stdout.split("\n")).toHaveLength(4);
    expect(find("absent", "plain")).toMatchObject({ status: 0, stdout: expected.stdout });
    const exact = find("absent", "graph");
    expect(exact).toMatchObject({ status: 0, stdout: expected.stdout });
    expect(exact.stderr).toMatch(/searched exactly/);
    const refused = pearl("absent", ...build, "other", "--backend", "hnsw");
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^pearl: .*The backend exact searches the same rows without it\.$/m);
    expect(pearl("absent", ...build, "other", "--backend", "exact")).toMatchObject({ status: 0 });
  });
});
