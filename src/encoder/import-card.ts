/** The card of an imported model: where it comes from, its licence, and what its own card says. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { readModelCard, splitCard } from "./model-card.js";
import { weightsFile } from "./weight-files.js";

export interface CardOptions {
  /** Hub id or name of the source. */
  readonly origin: string;
  readonly commit?: string;
  /** Types of the source's weights. */
  readonly types: readonly string[];
}

/** README.md for a folder imported from `source`. */
export async function importCard(source: string, options: CardOptions): Promise<string> {
  const { origin, commit, types } = options;
  const text = await readFile(join(source, "README.md"), "utf8").catch(() => "");
  const { metadata, body } = splitCard(text);
  const { licence } = await readModelCard(source);
  const isHubId = origin.includes("/");
  const head = { ...metadata, ...(isHubId && { base_model: origin }) };
  const front = Object.keys(head).length > 0 ? `---\n${stringify(head)}---\n\n` : "";
  const wide = types.filter((type) => type !== "float32");
  const lines = [
    `# ${origin} as ONNX`,
    "",
    `\`onnx/model.onnx\` was written by \`pearl import\` from \`config.json\` and \`${weightsFile}\` of ` +
      `${isHubId ? `[${origin}](https://huggingface.co/${origin})` : origin}` +
      `${commit ? `, commit ${commit}` : ""}. Nothing was trained: the weights are those of the source` +
      `${wide.length > 0 ? `, widened from ${wide.join(" and ")} to float32` : ""}.`,
    "",
    licence === undefined
      ? "Licence: the source states none. Ask its authors before you pass the model on."
      : `Licence: ${licence}, as the source states it; it covers this folder too.`,
    "",
  ];
  const rest = body.trim() === "" ? [] : ["The source's own card follows.", "", body.trim(), ""];
  return front + [...lines, ...rest].join("\n");
}
