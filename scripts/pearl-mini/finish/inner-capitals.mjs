/** Sets how a model splits unknown words such as "NYTimes". */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forgetChecksums } from "./forget-checksums.mjs";

/**
 * Sets whether words outside the vocabulary are split at inner capitals.
 * @param {string} folder a word encoder; its config.json is changed in place
 * @param {"kept" | "parted"} innerCapitals see src/architectures/pearl-mini/inputs.ts
 */
export function setInnerCapitals(folder, innerCapitals) {
  const path = join(folder, "config.json");
  const config = JSON.parse(readFileSync(path, "utf8"));
  for (const feature of config.pearl.features)
    if (feature.kind === "words") feature.innerCapitals = innerCapitals;
  forgetChecksums(folder);
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`);
}
