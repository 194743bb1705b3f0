/** Sets how a model reads words outside its vocabulary, such as "NYTimes" and "recieve". */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forgetChecksums } from "./forget-checksums.mjs";

/**
 * Changes the reading in a model's config.json, in place.
 * @param {string} folder a word encoder
 * @param {Pick<import("../../../dist/architectures/pearl-mini/inputs.js").WordReading, "innerCapitals" | "unknownWords">} reading
 */
export function setReading(folder, reading) {
  const path = join(folder, "config.json");
  const config = JSON.parse(readFileSync(path, "utf8"));
  for (const feature of config.pearl.features) if (feature.kind === "words") Object.assign(feature, reading);
  forgetChecksums(folder);
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`);
}
