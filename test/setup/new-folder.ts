/** Folders for tests, below the one that is removed when the run ends. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const newFolder = (): string => mkdtempSync(join(tmpdir(), "pearl-test-"));
