/** Messages on files of models that are damaged or belong to another model: each names a cure, which is applied and works. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fixtureModel } from "../../encoder/fixture-models.js";
import { type Case, claimCures } from "./cases.js";

const { folder } = fixtureModel("roberta");
const names = ["config.json", "model.safetensors", "vocab.json", "merges.txt"];
const imported = "pearl import f -o model -q";
// As other tools leave a model: without checksums.
const plain = "cp -r whole model; rm model/checksums.json";
const encode = "pearl encode x.csv -c name -m ./model -o v.jsonl -q";
const pointer = "version https://git-lfs.github.com/spec/v1\\noid sha256:0\\nsize 1\\n";

/** A published model `f`; the cure replaces its file by the undamaged one. */
const published = (file: string, damage: string, says: string): Case => ({
  files: {},
  wrong: `${damage}; ${imported}`,
  says,
  cured: `cp ${file} f; ${imported}`,
});
/** A model that pearl loads. */
const loaded = (file: string, damage: string, says: string): Case => ({
  files: {},
  wrong: `${plain}; ${damage} > model/${file}; ${encode}`,
  says,
  cured: `cp whole/${file} model/${file}; ${encode}`,
});
const graph = (damage: string, says: string): Case => loaded("onnx/model.onnx", damage, says);

const cases: Readonly<Record<string, Case>> = {
  "weights of fewer layers than configured": published(
    "config.json",
    `sed -i -E 's/("num_hidden_layers": *)[0-9]+/\\19/' f/config.json`,
    "Download the weights again, or take both files from the same model.",
  ),
  "weights of more layers than configured": published(
    "config.json",
    `sed -i -E 's/("num_hidden_layers": *)[0-9]+/\\11/' f/config.json`,
    "Take both files from the same model.",
  ),
  "a cache of imported models that is a file": {
    files: {},
    wrong: encode.replace("pearl", "HF_HOME=x.csv pearl").replace("./model", "./f"),
    says: "set HF_HOME to a folder that can be written, or run: pearl import ./f -o OUT",
    cured:
      `${encode.replace("pearl", "HF_HOME=home pearl").replace("./model", "./f")} && test -d home/pearl/imported && ` +
      `pearl import ./f -o OUT -q && ${encode.replace("./model", "./OUT").replace("v.jsonl", "w.jsonl")}`,
  },
  "a configuration without layers": published(
    "config.json",
    `sed -i -E 's/("num_hidden_layers": *)[0-9]+/\\10/' f/config.json`,
    "expected a whole number above 0. Download it again.",
  ),
  "weights of another shape than configured": published(
    "config.json",
    `sed -i -E 's/("vocab_size": *)[0-9]+/\\19/' f/config.json`,
    "by config.json. Take both files from the same model.",
  ),
  "a pointer in place of weights": published(
    "model.safetensors",
    `printf '${pointer}' > f/model.safetensors`,
    'is a Git LFS pointer, not the weights. Run "git lfs pull".',
  ),
  "weights that are cut off": published(
    "model.safetensors",
    "head -c 2000 model.safetensors > f/model.safetensors",
    "Download it again; it may be cut off.",
  ),
  "a list of modules that is damaged": {
    files: { "modules.json": '[{"type": "sentence_transformers.models.Transformer"}]' },
    wrong: `echo { > f/modules.json; ${imported}`,
    says: "). Download modules.json again.\n",
    cured: `cp modules.json f; ${imported}`,
  },
  "a list of files of weights that is damaged": {
    files: {},
    wrong: `rm f/model.safetensors; echo { > f/model.safetensors.index.json; ${imported}`,
    says: "). Download it again.\n",
    cured: `rm f/model.safetensors.index.json; cp model.safetensors f; ${imported}`,
  },
  "an empty graph": graph("printf ''", "is empty. Download or export it again."),
  "a pointer in place of a graph": graph(
    `printf '${pointer}'`,
    'is a Git LFS pointer, not the model. Run "git lfs pull".',
  ),
  "a page in place of a graph": graph(
    "echo '<html>Not found</html>'",
    "is text (HTML or JSON), not an ONNX model. Download it again.",
  ),
  "a graph that is cut off": graph(
    "head -c 2000 whole/onnx/model.onnx",
    "Download or export it again; it may be cut off.",
  ),
  "a tokenizer that is damaged": loaded("tokenizer.json", "echo {", "Download or export the model again."),
  "a configuration that is damaged": loaded("config.json", "echo {", "Download or export the model again."),
};

claimCures(cases, {
  files: {
    ...Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))])),
    "x.csv": "name,city\nAcme,Berlin\nToyota,Aichi\n",
  },
  before: `mkdir f && cp ${names.join(" ")} f && pearl import f -o whole -q`,
});
