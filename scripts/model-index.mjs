/** Writes the scores of a model as metadata of its card (model-index, which the Hugging Face hub reads). */

/**
 * Returns lines of YAML without a final newline. For AutoFJ the card holds only the mean over its sets.
 * @typedef {{ task: string, dataset: string, metric: string, score: number }} Score
 * @param {string} name
 * @param {{ results: readonly Score[] }} report output of `pearl bench --json` for one model, on one half of
 *   each set
 */
export function modelIndex(name, { results }) {
  const entries = results
    .filter(({ task, dataset }) => task !== "autofj" || dataset.startsWith("macro"))
    .map(
      ({ task, metric, score }) => `      - task:
          type: ${task}
        dataset:
          name: ${task} (half)
          type: ${task}
        metrics:
          - type: ${metric}
            value: ${score.toFixed(4)}`,
    );
  return `model-index:
  - name: ${name}
    results:
${entries.join("\n")}`;
}
