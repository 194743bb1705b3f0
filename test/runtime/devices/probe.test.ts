/** A probe's answer, and what there is in place of one. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runProbe } from "../../../src/runtime/devices/probe.js";
import { newFolder } from "../../setup/new-folder.js";

const folder = newFolder();

function program(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

it("tells a probe that took too long from one that failed", async () => {
  const endless = program("endless.mjs", "setInterval(() => {}, 1000);");
  expect(await runProbe(endless, "x", undefined, 0.2)).toEqual({
    ...{ works: false, detail: "no answer within 0.2 s", tookTooLong: true },
  });
  const failing = program("failing.mjs", "process.exit(3);");
  expect(await runProbe(failing, "x")).toEqual({ works: false, detail: "it ended with code 3" });
});
