/** For steps that change a model in place: its checksums would call the change damage. Packing records new ones. */
import { rmSync } from "node:fs";
import { join } from "node:path";

/** @param {string} folder */
export const forgetChecksums = (folder) => rmSync(join(folder, "checksums.json"), { force: true });
