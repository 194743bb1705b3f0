/** A small invented benchmark in the layout of the data folder, and models whose scores are known. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { EmbeddingModel } from "../../src/benchmark/models.js";

/** Files by path relative to the data folder. */
export type DataFiles = Readonly<Record<string, string>>;

/** One small file for each task. */
export const smallData: DataFiles = {
  "autofj/Cities/left.csv": 'id,title\n0,Paris\n1,London\n2,Rome\n3,"Washington, D.C."\n',
  "autofj/Cities/right.csv": 'id,title\n0,paris\n1,londen\n2,Nowhere at all\n3,"washington, d.c."\n',
  "autofj/Cities/gt.csv":
    'id_l,title_l,id_r,title_r\n0,Paris,0,paris\n1,London,1,londen\n3,"Washington, D.C.",3,"washington, d.c."\n',
  "autofj/Fruits/left.csv": "id,title\n0,apple\n1,pear\n",
  "autofj/Fruits/right.csv": "id,title\n0,apples\n",
  "autofj/Fruits/gt.csv": "id_l,title_l,id_r,title_r\n1,pear,0,apples\n",
  "bird/bird.txt":
    "pair\tterm1\tterm2\tkind\tsource\trelation\trelatedness score\tpos\n" +
    "(a, b)\tgreen tea\tgreen teas\tbigram\tx\tNone\t0.9\tn-n\n" +
    "(a, b)\tgreen tea\tgreen car\tbigram\tx\tNone\t0.5\tn-n\n" +
    "(a, b)\tgreen tea\tsparrow\tunigram\tx\tNone\t0.1\tn-n\n",
  "turney/turney.txt":
    "red wine | red wines | red | wine | stone | cloud | paper | ladder\n" +
    "sea bird | gull | sea | bird | sea birds | lamp | rope | glass\n",
  "ppdb/ppdb.json": '[["a big house","big houses","pos",5.5],["a big house","quickly","neg",null]]',
  "ppdb/ppdb_filtered.json": '[["run","quickly","pos"],["run","run fast","neg"]]',
  "conll2003/dev.json":
    '{"sentences": [["Ann", "Lee", "left", "Rome"]], "ner": [[[0, 1, "PER"], [3, 3, "LOC"]]]}\n' +
    '{"sentences": [["ACME", "hired", "Bob", "today"]], "ner": [[[0, 0, "ORG"], [2, 2, "PER"], [3, 3, "MISC"]]]}\n',
  "bc5cdr/test.json":
    '{"sentences": [["aspirin", "for", "headache"]], "ner": [[[0, 0, "Chemical"], [2, 2, "Disease"]]]}\n',
  "yago/yago_test_samples.txt": "Bill Lumpkin\tWilliam Lumpkin\nRome City\tRome\n",
  "yago/yago_kb_small.txt": "William Lumpkin\nRome\nRoma Capitale\n",
  "umls/umls_test.txt": "headaches\theadache\n",
  "umls/umls_kb.txt": "headache\nfever\n",
  "sts.csv": "one,two,score\na big house,big houses,4.5\na big house,quickly,0\nred wine,red wines,4\n",
  "misspellings/misspellings.tsv": "alhpa\talpha\nepsylon\tepsilon\n",
  "words/words.txt": "alpha\nbeta\ngamma\ndelta\nepsilon\n",
};

/** Writes the files into a new temporary folder and returns its path. */
export function writeData(files: DataFiles = smallData): string {
  const folder = mkdtempSync(join(tmpdir(), "pearl-bench-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** A model that looks vectors up in a table. */
export function tableModel(vectors: Readonly<Record<string, readonly number[]>>): EmbeddingModel {
  return modelOf((phrase) => vectors[phrase], Object.values(vectors)[0].length);
}

/** A model that counts letters: 26 numbers, never all zero for text with a letter. */
export const letterModel: EmbeddingModel = modelOf((phrase) => {
  const counts = new Array<number>(26).fill(0);
  for (const letter of phrase.toLowerCase()) {
    const index = letter.charCodeAt(0) - 97;
    if (index >= 0 && index < 26) counts[index]++;
  }
  return counts;
}, 26);

/** A model that gives every phrase the same vector, so that all its scores come from ties. */
export const constantModel: EmbeddingModel = modelOf(() => [1, 2], 2);

/** A model that is broken. */
export const brokenModel: EmbeddingModel = modelOf(() => [Number.NaN, 1], 2);

function modelOf(vectorOf: (phrase: string) => readonly number[], dimension: number): EmbeddingModel {
  return {
    kind: "embedding",
    name: "toy",
    fingerprint: "toy",
    dimension,
    embed: async (phrases) => Float32Array.from(phrases.flatMap((phrase) => [...vectorOf(phrase)])),
    dispose: async () => {},
  };
}
