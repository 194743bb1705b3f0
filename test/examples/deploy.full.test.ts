/** The unit of examples/deploy, as systemd reads it. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const systemd = "/usr/bin/systemd-analyze";
if (!existsSync(systemd)) console.log(`skipped: no ${systemd} (apt-get install systemd)`);

it.skipIf(!existsSync(systemd))("has no setting that systemd does not know", () => {
  const unit = readFileSync("examples/deploy/pearl.service", "utf8");
  const verified = (text: string) => {
    const file = join(mkdtempSync(join(tmpdir(), "pearl-unit-")), "pearl.service");
    // Debian's Node lies elsewhere than a test's
    writeFileSync(file, text.replace("/usr/bin/node", process.execPath));
    return execFileSync("sh", ["-c", `${systemd} verify --man=no ${file} 2>&1`], { encoding: "utf8" });
  };
  expect(verified(unit)).toBe("");
  expect(verified(unit.replace("ProtectHome=", "ProtectHomes="))).toContain("ProtectHomes");
});
