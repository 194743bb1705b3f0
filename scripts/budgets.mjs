/**
 * The size of the project against its ceilings in budgets.json: lines of src by room and in all, lines of tests, files,
 * and the size of an installation.
 *
 *     node scripts/budgets.mjs                  compare; exit code 1 where a ceiling is exceeded
 *     node scripts/budgets.mjs --install FOLDER compare an installed node_modules folder alone
 *     node scripts/budgets.mjs --lower          lower each ceiling to today's figure; none is raised
 */
import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const path = join(root, "budgets.json");

/** Source files below `folder`, with their lines, as `wc -l` counts them. */
async function sources(/** @type {string} */ folder, /** @type {RegExp} */ ending) {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && ending.test(entry.name));
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const text = await readFile(join(parentPath, name), "utf8");
      const room = parentPath.slice(join(root, folder).length + 1).split(/[/\\]/)[0] || ".";
      return { room, lines: text.split("\n").length - 1 };
    }),
  );
}

const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);

async function sizes() {
  const src = await sources("src", /\.ts$/);
  const test = await sources("test", /\.(?:ts|mjs)$/);
  const tools = (
    await Promise.all(["benchmarks", "scripts"].map((name) => sources(name, /\.(?:mjs|py|sh)$/)))
  ).flat();
  const rooms = [...new Set(src.map(({ room }) => room))].sort();
  const lines = (/** @type {{ lines: number }[]} */ files) => sum(files.map((file) => file.lines));
  return {
    lines: { src: lines(src), test: lines(test), "benchmarks and scripts": lines(tools) },
    files: { src: src.length, test: test.length },
    rooms: Object.fromEntries(rooms.map((room) => [room, lines(src.filter((file) => file.room === room))])),
  };
}

/** MiB of the files below an installed folder, as its blocks on disk count them. */
function installed(/** @type {string} */ folder) {
  return {
    MiB: { installed: Number.parseInt(execFileSync("du", ["-sm", folder], { encoding: "utf8" }), 10) },
  };
}

const [flag, folder] = process.argv.slice(2);
const ceilings = JSON.parse(await readFile(path, "utf8"));
const measured = flag === "--install" ? installed(folder ?? "node_modules") : await sizes();

let exceeded = 0;
for (const [group, figures] of Object.entries(measured)) {
  for (const [name, figure] of Object.entries(figures)) {
    const ceiling = ceilings[group]?.[name];
    const isOver = ceiling === undefined || figure > ceiling;
    if (isOver) exceeded++;
    const words = ceiling === undefined ? "has no ceiling" : `of ${ceiling}`;
    console.log(`${isOver ? "OVER " : "     "}${group} ${name}: ${figure} ${words}`);
    if (flag === "--lower" && !isOver) ceilings[group][name] = figure;
  }
}
if (flag === "--lower") {
  const rooms = Object.entries(ceilings.rooms).filter(([room]) => room in measured.rooms);
  await writeFile(path, `${JSON.stringify({ ...ceilings, rooms: Object.fromEntries(rooms) }, null, 2)}\n`);
}
if (exceeded > 0) {
  console.error(
    `error: ${exceeded} figures exceed their ceilings in budgets.json. Delete or simplify; raise a ceiling only with its reason in the commit.`,
  );
  process.exitCode = 1;
}
