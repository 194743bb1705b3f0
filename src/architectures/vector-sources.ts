/** What a model's vectors depend on beside its precision: the content of its fingerprint. */
import { checksum } from "../files/checksums/crc.js";
import type { ModelFolder } from "./architecture.js";
import { readJson } from "./folder-json.js";
import { filesOfGraph } from "./model-folder.js";
import { filesOf } from "./registry.js";

/**
 * CRC-32 of features (as JSON) that fingerprints leave out: of pearl-mini (the second: when it did not yet read unknown words),
 * pearl-strings, and transformers of 512 tokens. Fingerprints of these models were recorded before they held features, and
 * stay; no two models share one.
 */
const unnamed = ["d9f935f4", "f3bd4059", "a57b670b", "0d9a02c5"];

/** @returns paths of files that may exist, and a text, which is empty where all is as by default */
export async function vectorSources(
  { path, graph, quantizedGraph, features, pooling, defaultPrompt }: ModelFolder,
  precision: string,
): Promise<{ files: string[]; facts: string }> {
  const graphs = precision === "int8" && quantizedGraph !== undefined ? [graph, quantizedGraph] : [graph];
  // of tokenizer_config.json only these change ids, beside the length, which is in the features
  const { remove_space, do_lowercase_and_remove_accent } =
    (await readJson(`${path}/tokenizer_config.json`)) ?? {};
  const facts = {
    ...(!unnamed.includes(checksum(JSON.stringify(features))) && { features }),
    ...(pooling !== "mean" && pooling !== "none" && { pooling }),
    ...(defaultPrompt && { defaultPrompt }),
    ...(remove_space === true && { remove_space }),
    ...(do_lowercase_and_remove_accent === true && { do_lowercase_and_remove_accent }),
  };
  return {
    files: [...new Set(graphs.flatMap(filesOfGraph)), ...filesOf().map((name) => `${path}/${name}`)],
    facts: Object.keys(facts).length > 0 ? JSON.stringify(facts) : "",
  };
}
