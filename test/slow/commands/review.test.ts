/** `pearl review` as users run it: its address, what it refuses, and the commands around it. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reviewCommand } from "../../../src/cli/serve/review.js";
import { type Outcome, pearl } from "../../cli/run-cli.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pearl-review-"));
  const rows = [
    "1,Acme Inc.,Bern",
    "2,Acme Inc,Bern",
    "3,Zora AG,Genf",
    "4,Nordwind GmbH,Jena",
    "5,Nordwind,Jena",
  ];
  await writeFile(join(folder, "crm.csv"), `id,name,city\n${rows.join("\n")}\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const run = (...parameters: string[]): Promise<Outcome> => pearl(parameters, { cwd: folder });

describe("a review", () => {
  it("starts with the command that dedupe prints, takes answers, and prints the command that applies them", async () => {
    const first = await run("dedupe", "crm.csv", "--ignore", "id", "--review-out", "my review.csv");
    const printed = 'pearl review "my review.csv" crm.csv --ignore id';
    expect(first.stderr).toContain(`to decide them in a browser: ${printed}\n`);
    const { code, stdout, stderr } = await pearl(
      ["review", "my review.csv", "crm.csv", "--ignore", "id", "--no-open"],
      {
        cwd: folder,
        onStart: (child) =>
          child.stdout?.once("data", async (chunk: Buffer) => {
            const [url] = /http:\S+/.exec(chunk.toString())!;
            const { pair } = (await (await fetch(`${url}state`)).json()) as { pair: { id: string } };
            const body = JSON.stringify({ id: pair.id, answer: "yes", seen: "" });
            await fetch(`${url}answer`, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body,
            });
            child.kill("SIGINT");
          }),
      },
    );
    expect([code, stderr]).toEqual([0, ""]);
    const next = 'pearl dedupe crm.csv --ignore id --review "my review.csv"';
    expect(stdout).toMatch(
      /^\d+ pairs? to answer: http:\/\/127\.0\.0\.1:\d+\/\S+\/\n1 of \d+ pairs? answered\. /,
    );
    expect(stdout).toContain(`Apply the answers with:\n\n  ${next}\n`);
    expect(await readFile(join(folder, "my review.csv"), "utf8")).toMatch(/^yes,/m);
    expect((await run("dedupe", "crm.csv", "--ignore", "id", "--review", "my review.csv")).code).toBe(0);
  });

  it("of a second round applies the decisions of both", async () => {
    const next = ["crm.csv", "--ignore", "id", "--review", "my review.csv", "--review-out", "second.csv"];
    const { stderr } = await run("dedupe", ...next);
    const known = '--labels "my review.csv"';
    expect(stderr).toContain(`browser: pearl review second.csv crm.csv --ignore id ${known}\n`);
    const stop = (words: string[]) =>
      pearl(["review", "second.csv", ...words, "--labels", "my review.csv", "--no-open"], {
        ...{ cwd: folder, onStart: (child) => child.stdout?.once("data", () => child.kill("SIGINT")) },
      });
    const { stdout } = await stop(["crm.csv", "--ignore", "id"]);
    expect(stdout).toContain(`\n\n  pearl dedupe crm.csv --ignore id ${known} --review second.csv\n`);
    expect((await stop([])).stdout).toContain(`again, with ${known} --review second.csv\n`);
    const review = (await readFile(join(folder, "second.csv"), "utf8")).replace(/^,/m, "yes,");
    await writeFile(join(folder, "second.csv"), review);
    const labels = ["--labels", "my review.csv", "--review", "second.csv"];
    const applied = await run("dedupe", "crm.csv", "--ignore", "id", ...labels);
    expect(applied.stdout).toContain("5 rows in, 2 groups of duplicates, 3 rows out");
  });

  it("says of a file without pairs that there is nothing to decide, and of one without tables what applies it", async () => {
    const heading = (await readFile(join(folder, "my review.csv"), "utf8")).split("\n")[0];
    await writeFile(join(folder, "none.csv"), `${heading}\n`);
    const { code, stdout } = await run("review", "none.csv", "--no-open");
    expect([code, stdout]).toEqual([
      0,
      "none.csv has no pairs: no pair was doubtful, and there is nothing to decide\n",
    ]);
    const alone = await pearl(["review", "my review.csv", "--no-open"], {
      ...{ cwd: folder, onStart: (child) => child.stdout?.once("data", () => child.kill("SIGINT")) },
    });
    expect(alone.stdout).toMatch(
      /run the join or dedupe that wrote my review\.csv again, with --review "my review\.csv"\n$/,
    );
  });

  it("names what is missing or wrong, and opens no page", async () => {
    const { code, stderr, stdout } = await run("review", "crm.csv");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("crm.csv: a review has the columns decision, left_row and right_row");
    expect((await run("review", "absent.csv")).stderr).toContain("absent.csv: no such file");
    expect((await run("review", "my review.csv", "absent.csv")).stderr).toContain("absent.csv: no such file");
    expect((await run("review", "my review.csv", "crm.csv", "--kind", "one-to-one")).code).toBe(2);
  });
});

describe("the tables of a review", () => {
  it("are refused before anybody answers if they are others, in another order, or cannot be read twice", async () => {
    const rows = ["1,ACME Inc.,Bern", "2,Zora,Genf", "3,Nordwind Gmbh,Jena"];
    await writeFile(join(folder, "list.csv"), `id,name,city\n${rows.join("\n")}\n`);
    await run("join", "crm.csv", "list.csv", "-m", "none", "-q", "-o", "j.csv", "--review-out", "pairs.csv");
    const { code, stdout, stderr } = await run("review", "pairs.csv", "list.csv", "crm.csv", "--no-open");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe("pearl: crm.csv is the left table of pairs.csv. Name it first, then list.csv.\n");
    const other = await run("review", "pairs.csv", "crm.csv", "--no-open");
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/pairs\.csv, row \d: right_name is /),
    });
    const piped = await run("review", "pairs.csv", "crm.csv", "-", "--no-open");
    expect(piped).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("save standard input to a file"),
    });
  });
});

describe("the command that opens a review", () => {
  it("has the options that decide what is found, and no others", () => {
    const options = {
      ...{ on: ["name=supplier", "city"], kindOf: { born: "date" }, precision: 0.95, kind: "one-to-one" },
      ...{
        labels: ["known pairs.csv"],
        review: "first.csv",
        header: false,
        quotes: true,
        output: "out.csv",
        explain: true,
        candidates: 10,
      },
    };
    expect(reviewCommand("r.csv", ["a.csv", "b.csv"], options)).toBe(
      "pearl review r.csv a.csv b.csv --on name=supplier --on city --kind-of born=date --precision 0.95 " +
        '--kind one-to-one --labels "known pairs.csv" --labels first.csv --no-header',
    );
    expect(reviewCommand("r.csv", ["a.csv"], { column: "name", precision: 0.9, quotes: false })).toBe(
      "pearl review r.csv a.csv --on name --no-quotes",
    );
  });

  it("names no tables where its figures would not be those of the command", () => {
    for (const options of [{ threshold: 0.8 }, { top: 3 }, { candidates: 20 }, { int8: true }])
      expect(reviewCommand("r.csv", ["a.csv"], options)).toBe("pearl review r.csv");
    expect(reviewCommand("r.csv", ["-"], {})).toBe("pearl review r.csv");
    expect(reviewCommand("r.csv", ["-"], { review: "1.csv" })).toBe("pearl review r.csv --labels 1.csv");
  });
});
