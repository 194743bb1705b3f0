/** kill -9 at random moments of linking: the store is as it was before or as it is after, and a rerun ends the same. */
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { entry, pearl } from "../../cli/run-cli.js";
import { linesOf } from "../../link/linking.js";
import { tableWithDuplicates } from "../../match/people.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-link-kill-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string): string => join(folder, name);

const { table, entities } = tableWithDuplicates(400);
function write(name: string, wanted: (row: number) => boolean): void {
  const lines = entities.flatMap((_, row) =>
    wanted(row)
      ? [
          Object.values(table)
            .map((cells) => cells[row])
            .join(","),
        ]
      : [],
  );
  writeFileSync(path(name), `${Object.keys(table).join(",")}\n${lines.join("\n")}\n`);
}
write("first.csv", (row) => row % 8 > 0);
write("more.csv", (row) => row % 8 === 0);

const parameters = (file: string): string[] => {
  return ["link", file, "--store", "store", "-m", "none", "-q", "-o", "out.csv"];
};
const stored = (): number => (existsSync(path("store.wal")) ? statSync(path("store.wal")).size : 0);

/** Kills the run after a time, which is counted from its first writing to the log of the store if `late`. */
async function runAndKill(file: string, milliseconds: number, late: boolean): Promise<void> {
  const child = spawn(process.execPath, [entry, ...parameters(file)], { cwd: folder, stdio: "ignore" });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve())).then(() => {
    hasEnded = true;
  });
  const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
  while (late && !hasEnded && stored() === 0) await sleep(1);
  await Promise.race([ended, sleep(milliseconds)]);
  child.kill("SIGKILL");
  await ended;
}

describe("a store whose writer is killed", () => {
  it.each(["first.csv", "more.csv"])(
    "is whole through 6 kills, and %s then ends as undisturbed",
    async (file) => {
      const random = createRandom(5);
      const restore = (): void => {
        for (const name of ["store", "store.wal"]) rmSync(path(name), { force: true });
        if (file === "more.csv") copyFileSync(path("base"), path("store"));
      };
      restore();
      const started = performance.now();
      expect(await pearl(parameters(file), { cwd: folder })).toMatchObject({ code: 0 });
      const whole = performance.now() - started;
      const after = await linesOf(path("store"));
      if (file === "first.csv") copyFileSync(path("store"), path("base"));
      restore();
      const before = file === "more.csv" ? await linesOf(path("store")) : undefined;
      let killed = 0;
      for (let kill = 0; kill < 6; kill++) {
        restore();
        await runAndKill(file, kill % 2 === 0 ? random() * whole : random() * 40, kill % 2 === 1);
        const isEmpty = before === undefined && !(await hasTables());
        const found = isEmpty ? undefined : await linesOf(path("store"));
        const isBefore = JSON.stringify(found) === JSON.stringify(before);
        if (isBefore) killed++;
        else expect(found).toEqual(after);
        expect(await pearl(parameters(file), { cwd: folder })).toMatchObject({ code: 0, stderr: "" });
        expect(await linesOf(path("store"))).toEqual(after);
      }
      expect(killed).toBeGreaterThan(0);
    },
  );
});

/** A first run that was killed leaves no file, or one without tables. */
async function hasTables(): Promise<boolean> {
  if (!existsSync(path("store"))) return false;
  const { withStore } = await import("../../../src/link/store.js");
  return withStore(path("store"), "existing", async (store) => !store.isNew);
}
