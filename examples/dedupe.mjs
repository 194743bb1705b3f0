/** Clusters spellings of the same name, and removes duplicates. Run: node examples/dedupe.mjs */
import { cluster, dedupe, PhraseEncoder } from "pearl-embeddings";

const names = ["The New York Times", "New York Times", "New York Post", "Acme Inc.", "Acme, Inc", "Apex Ltd"];
const encoder = await PhraseEncoder.load();
const { groups } = await cluster(names, { encoder, threshold: 0.7 });
for (const { rows, representative } of groups) console.log(`${names[representative]}: ${rows.length}`);
const { kept } = await dedupe(names, { encoder, threshold: 0.7 });
console.log(Array.from(kept, (row) => names[row]));
await encoder.dispose();
