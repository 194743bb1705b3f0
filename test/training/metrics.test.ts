import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { appendMetrics } from "../../src/training/metrics.js";
import { newFolder } from "../setup/new-folder.js";

it("metrics that cannot be written say so, and are written once there is a place for them", () => {
  const folder = join(newFolder(), "absent");
  const path = join(folder, "metrics.jsonl");
  const metrics = { step: 3, score: 1, seconds: 0.1 };
  expect(() => appendMetrics(path, metrics)).toThrow(
    /the metrics of step 3 cannot be written .* Make room and resume\./,
  );
  mkdirSync(folder);
  appendMetrics(path, metrics);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(metrics);
});
