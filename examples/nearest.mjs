/** Finds the nearest known name for each messy one. Run: node examples/nearest.mjs */
import { PhraseEncoder } from "pearl-embeddings";

const known = ["Toyota Motor Corporation", "Procter & Gamble", "Siemens AG", "Deutsche Bahn AG"];
const messy = ["toyota motors corp", "Procter and Gamble Co.", "SIEMENS A.G.", "Deutsche Bhan"];

const encoder = await PhraseEncoder.load();
const scores = await encoder.similarity(messy, known);
messy.forEach((name, row) => {
  const best = scores[row].indexOf(Math.max(...scores[row]));
  console.log(`${name} → ${known[best]} (${scores[row][best].toFixed(2)})`);
});
await encoder.dispose();
