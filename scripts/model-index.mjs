/** Writes the scores of a model as metadata of its card (model-index, read by the Hugging Face hub). */

/**
 * Lines of YAML without a newline at the end. AutoFJ's single sets stay in the record; the card has their mean.
 * @param {string} name @param {{ results: readonly { task: string, dataset: string, metric: string, score: number }[] }} report
 *   what `pearl bench --json` writes of a model, on one half of each set
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
