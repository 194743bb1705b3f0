/** Gives a test run its own temporary folder, and removes it with everything in it when the run ends. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

export default function temporaryFolder(): (() => void) | undefined {
  // Projects of one run share it: within each other, their names are too long for a browser's socket.
  if (basename(tmpdir()).startsWith("pearl-tests-")) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "pearl-tests-"));
  // The processes that run tests, and the commands they start, inherit it.
  for (const name of ["TMPDIR", "TMP", "TEMP"]) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
