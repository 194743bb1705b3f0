/**
 * Draws the first picture of README to benchmarks/results/similarity.svg: cosine similarities of names and
 * their variants with the embedded model.
 *
 *     npm run build && node scripts/draw-similarity.mjs
 */
import { writeFile } from "node:fs/promises";
import { PhraseEncoder } from "../dist/index.js";

const queries = ["NYTimes", "toyota motors corp", "Zuerich", "Beethoven, Ludwig van", "acetylsalicilic acid"];
const names = [
  "The New York Times",
  "Toyota Motor Corporation",
  "Zürich",
  "Ludwig van Beethoven",
  "acetylsalicylic acid",
];
const CELL = { width: 112, height: 34 };
const MARGIN = { left: 190, top: 92 };

const encoder = await PhraseEncoder.load();
const scores = await encoder.similarity(queries, names);
const width = MARGIN.left + names.length * CELL.width + 60;
const height = MARGIN.top + queries.length * CELL.height + 30;

const cells = queries.flatMap((query, row) => [
  `<text x="${MARGIN.left - 10}" y="${MARGIN.top + row * CELL.height + 22}" text-anchor="end">${query}</text>`,
  ...names.map((_, column) => cell(row, column)),
]);
const heads = names.map((name, column) => {
  const x = MARGIN.left + column * CELL.width + CELL.width / 2 - 30;
  return `<text transform="translate(${x} ${MARGIN.top - 8}) rotate(-22)">${name}</text>`;
});
await writeFile(
  "benchmarks/results/similarity.svg",
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">
<title>Cosine similarity of name variants (${encoder.model.name})</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<g fill="#1f2933">
${[...heads, ...cells].join("\n")}
<text x="${MARGIN.left}" y="${height - 8}" font-size="11" fill="#52606d">cosine similarity, model ${encoder.model.name}</text>
</g>
</svg>
`,
);
await encoder.dispose();

/** One score: darker if higher, framed if it is the best of its row. */
function cell(row, column) {
  const score = scores[row][column];
  const strength = Math.max(0, Math.min(1, score));
  const x = MARGIN.left + column * CELL.width;
  const y = MARGIN.top + row * CELL.height;
  const best = score === Math.max(...scores[row]);
  const frame = best ? ' stroke="#0b4f8a" stroke-width="2"' : "";
  const ink = strength > 0.55 ? "#ffffff" : "#1f2933";
  return (
    `<rect x="${x + 1}" y="${y + 1}" width="${CELL.width - 2}" height="${CELL.height - 2}" rx="4" ` +
    `fill="rgb(20,110,190)" fill-opacity="${(0.06 + 0.94 * strength).toFixed(2)}"${frame}/>` +
    `<text x="${x + CELL.width / 2}" y="${y + 22}" text-anchor="middle" fill="${ink}">${score.toFixed(2)}</text>`
  );
}
