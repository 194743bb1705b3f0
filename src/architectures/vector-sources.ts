/** What a model's vectors depend on beside its precision: the content of its fingerprint. */
import { checksum } from "../files/crc.js";
import type { ModelFolder } from "./architecture.js";
import { readJson } from "./folder-json.js";
import { filesOf } from "./registry.js";

/**
 * Checksums of features that fingerprints leave out: those of pearl-mini, pearl-strings and transformers of 512 tokens. What
 * was made with these models before fingerprints had features keeps its fingerprint, and no two models share one.
 */
const unnamed = ["d9f935f4", "a57b670b", "0d9a02c5"];

/** @returns paths of files that may exist, and a text, which is empty where all is as by default */
export async function vectorSources(
  { path, graph, quantizedGraph, features, pooling }: ModelFolder,
  precision: string,
): Promise<{ graphs: string[]; others: string[]; facts: string }> {
  const graphs = precision === "int8" && quantizedGraph !== undefined ? [graph, quantizedGraph] : [graph];
  // of tokenizer_config.json only these change ids, beside the length, which is in the features
  const { remove_space, do_lowercase_and_remove_accent } =
    (await readJson(`${path}/tokenizer_config.json`)) ?? {};
  const facts = {
    ...(!unnamed.includes(checksum(JSON.stringify(features))) && { features }),
    ...((pooling === "cls" || pooling === "max") && { pooling }),
    ...(remove_space === true && { remove_space }),
    ...(do_lowercase_and_remove_accent === true && { do_lowercase_and_remove_accent }),
  };
  return {
    graphs: [...new Set(graphs)],
    others: filesOf().map((name) => `${path}/${name}`),
    facts: Object.keys(facts).length > 0 ? JSON.stringify(facts) : "",
  };
}
