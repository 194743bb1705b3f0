/** The embedded model is what its script makes, and it is small. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const files = ["config.json", "README.md", "onnx/model.onnx"];

describe("models/pearl-ngram", () => {
  it("is byte for byte what scripts/build-pearl-ngram.mjs writes", () => {
    const folder = mkdtempSync(join(tmpdir(), "pearl-ngram-"));
    execFileSync(process.execPath, ["scripts/build-pearl-ngram.mjs", folder], { stdio: "pipe" });
    for (const file of files) {
      expect(
        readFileSync(join(folder, file)).equals(readFileSync(join("models/pearl-ngram", file))),
        file,
      ).toBe(true);
    }
  });

  it("is under 5 MB", () => {
    const names = readdirSync("models/pearl-ngram", { recursive: true, encoding: "utf8" });
    const bytes = names.reduce((sum, name) => sum + statSync(join("models/pearl-ngram", name)).size, 0);
    expect(bytes).toBeLessThan(5e6);
  });
});
