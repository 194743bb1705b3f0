/** What pearl can do with a model, each capability tried: `pearl doctor MODEL`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readJson } from "../../architectures/folder-json.js";
import { readModelFolder } from "../../architectures/model-folder.js";
import { architectureOf, conversions } from "../../architectures/registry.js";
import { moduleFacts, readModules } from "../../architectures/sentence-modules.js";
import { checkBuildable } from "../../architectures/transformer/dense.js";
import { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { messageOf } from "../../errors.js";
import { inTemporaryFolder } from "../../files/object-storage/temporary-folder.js";
import { graphsOf } from "../../hub/cache.js";
import { readExport } from "../../hub/convert/export-safetensors.js";
import { hasSafetensors, weightFiles } from "../../hub/convert/weight-files.js";
import { locateFiles, locateModel } from "../../hub/locate.js";
import { planFinetune } from "../../methods/pairs/finetune.js";
import type { ProbeAnswer } from "../../runtime/devices/probe.js";
import type { Session } from "../session.js";

/** Everything that `pearl doctor MODEL --json` prints; `works` is true if the model encodes. */
export type ModelDiagnosis = Awaited<ReturnType<typeof diagnoseModel>>;

/** @throws ModelError where there is no such model */
export async function diagnoseModel(
  model: string,
  { signal, onDownload }: Pick<Session, "signal" | "onDownload">,
) {
  const path = await locateFiles(model, { signal, onDownload });
  const findings: (ProbeAnswer & { readonly name: string })[] = [];
  const tryTo = async (name: string, attempt: () => Promise<string>): Promise<void> => {
    signal.throwIfAborted();
    const found = await attempt().then(
      (detail) => ({ works: true, detail }),
      (error: unknown) => ({ works: false, detail: messageOf(error).split("\n", 1)[0] }),
    );
    findings.push({ name, ...found });
  };
  const graphs = await graphsOf(path);
  await tryTo("family", () => familyOf(path, graphs.length > 0));
  await tryTo("weights", async () => {
    const files = (await hasSafetensors(path)) ? await weightFiles(path) : [];
    return [...graphs, ...files].join(", ") || "no file of weights that pearl reads";
  });
  const quantised = graphs.filter((name) => /quant|int8|uint8|q4|bnb4/.test(name));
  const none = "no int8 graph; --int8 quantises the weights while it loads";
  await tryTo("quantised", async () => quantised.join(", ") || none);
  await tryTo("modules", async () => {
    await checkBuildable(path);
    return (await readModules(path))?.map(({ type }) => type).join(", ") ?? "no modules.json";
  });
  await tryTo("prompts", () => promptsOf(path));
  await inTemporaryFolder(async (work) => {
    await tryTo("pooling", async () => {
      const folder = await readModelFolder(await locateModel(model, { signal, onDownload }));
      const how = folder.isPoolingAssumed ? `${folder.pooling}, as no file says how` : folder.pooling;
      return folder.pooling === "none" ? "the graph pools" : how;
    });
    await tryTo("encode", async () => {
      const encoder = await PhraseEncoder.load(model, { signal, threads: 1 });
      try {
        await encoder.encode(["New York Times"]);
        const limit = encoder.model.features.find(({ maximumLength }) => maximumLength)?.maximumLength;
        return `${encoder.dimension} dimensions${limit === undefined ? "" : `, up to ${limit} tokens`}`;
      } finally {
        await encoder.dispose();
      }
    });
    await tryTo("train", async () => {
      const pairs = join(work, "pairs.csv");
      await writeFile(pairs, "a,b\nNew York Times,NYT\nheart attack,myocardial infarction\nMunich,München\n");
      const { parameters } = await planFinetune({ pairs, base: model, steps: 1, signal });
      return `${parameters.toLocaleString("en")} parameters`;
    });
    await tryTo("export", async () => {
      const { family, difference } = await readExport(await locateModel(model, { signal }), work);
      return `${family}, rebuilt from its weights to ${difference.toExponential(0)}`;
    });
  });
  const works = findings.some(({ name, works }) => name === "encode" && works);
  return { works, model, path, findings };
}

async function familyOf(path: string, hasGraph: boolean): Promise<string> {
  const config = await readJson(join(path, "config.json"));
  if (config?.pearl !== undefined) {
    const { features } = await readModelFolder(path);
    return `pearl's own, of ${features.map((feature) => architectureOf(feature).kind).join(" and ")}`;
  }
  const family = String(config?.model_type ?? "none");
  const known = conversions().flatMap(({ families }) => families);
  if (known.includes(family)) return `${family}, whose graph pearl builds from safetensors`;
  if (hasGraph) return `${family}, by its ONNX graph alone`;
  throw new Error(`model_type ${family} is not one of ${known.join(", ")}, and there is no ONNX graph`);
}

async function promptsOf(path: string): Promise<string> {
  const { prompts, defaultPrompt, leavesPromptOut } = await moduleFacts(path);
  const named = Object.entries(prompts ?? {}).map(([name, text]) => {
    const isDefault = text === defaultPrompt ? ", the default" : "";
    return `${name} (${JSON.stringify(text)}${isDefault})`;
  });
  if (leavesPromptOut)
    throw new Error("the model pools without the prompt's tokens (include_prompt), so prompts are refused");
  return named.length > 0 ? `${named.join(", ")}: --prompt-name` : "none named; --prompt gives a text";
}

/** The page that `pearl doctor MODEL` prints. */
export function modelPage({ model, path, works, findings }: ModelDiagnosis): string {
  const lines = findings.map(({ name, works, detail }) => {
    const isTried = ["encode", "train", "export"].includes(name);
    const verdict = works ? (isTried ? "works: " : "") : isTried ? "does not work: " : "not supported: ";
    return `${name.padEnd(9)} ${verdict}${detail}`;
  });
  const use = works
    ? `Try: pearl encode FILE --model ${model}`
    : `${model} cannot be used; the reason is above.`;
  return [`${"model".padEnd(9)} ${model} in ${path}`, ...lines, "", use].join("\n");
}
