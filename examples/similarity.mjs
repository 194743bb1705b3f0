/** Computes the similarity of phrases. Run: node examples/similarity.mjs */
import { PhraseEncoder } from "pearl-embeddings";

const encoder = await PhraseEncoder.load();
const names = ["The New York Times", "Los Angeles Times", "Zürich"];
const scores = await encoder.similarity(["New York Times (newspaper)", "Zurich"], names);
for (const [i, query] of ["New York Times (newspaper)", "Zurich"].entries()) {
  const line = names.map((name, j) => `${name} ${scores[i][j].toFixed(2)}`).join(", ");
  console.log(`${query}: ${line}`);
}
await encoder.dispose();
