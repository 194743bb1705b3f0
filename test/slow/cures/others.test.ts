/** Messages of corpus, mine, augment, models, index, search, and plot: each names a cure, which is applied and works. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fixtureModel } from "../../encoder/fixture-models.js";
import { type Case, claimCures } from "./cases.js";

const text =
  "The New York Times was read in New York by the New York Times reader.\n" +
  "The old harbour of Bergen lies in the north of the old town, and the old harbour is deep.\n";
const table = "name,city\nAcme,Berlin\nToyota,Aichi\nSiemens,Munich\nBosch,Stuttgart\n";
const small = "--model pearl-strings -q";
const build = "pearl corpus build t.txt -o corpus --min-count 1 -q";
const augment = "pearl augment x.csv -o twins.csv --no-wordnet -q";
const index = `pearl index build x.csv -c name -o i.index ${small}`;

const minedPairs = `printf 'text,positive\nAcme,ACME Inc\nSiemens,Siemens AG\n' > pairs.csv; pearl mine --pairs pairs.csv ${small}`;

const newIndex = index.replace("i.index", "n.index");

const textCase = (wrong: string, says: string, cured: string): Case => ({
  files: { "names.csv": "phrase,class,type,count\nAcme,NP,ORG,3\n" },
  ...{ wrong, says, cured },
});
const tableCase = (wrong: string, says: string, cured: string): Case => ({ files: {}, wrong, says, cured });

const { folder: encoder } = fixtureModel("roberta");
const encoderFiles = ["config.json", "model.safetensors", "vocab.json", "merges.txt"];
/** Cases of a folder `f` with an encoder's weights. */
const modelCase = (wrong: string, says: string, cured: string): Case => ({
  files: Object.fromEntries(encoderFiles.map((name) => [name, readFileSync(join(encoder, name))])),
  before: `mkdir f && cp ${encoderFiles.join(" ")} f`,
  ...{ wrong, says, cured },
});

const corpus: Readonly<Record<string, Case>> = {
  "standard input among files of text": textCase(
    `${build} - < t.txt`,
    "Give it alone, or save it to a file first.",
    "pearl corpus build - -o corpus --min-count 1 -q < t.txt",
  ),
  "standard input twice": textCase(
    "pearl corpus build - --phrases - -o corpus -q < t.txt",
    "can be read only once. Save one of the inputs to a file and name it.",
    "pearl corpus build - --phrases names.csv -o corpus --min-count 1 -q < t.txt",
  ),
  "text without words": textCase(
    `printf '… ! …\n' > t2.txt; ${build.replace("t.txt", "t2.txt")}`,
    "the text contains no words, so it has no phrases. Give another file, or name the column of text (--column).",
    build,
  ),
  "text of function words": textCase(
    `printf 'Of it. To them.\n' > t2.txt; ${build.replace("t.txt", "t2.txt")}`,
    "all words of the text are function words, such as “of it”. Give another text.",
    build,
  ),
  "tables of which all rows are skipped": textCase(
    "pearl corpus build --phrases names.csv --skip Acme -o corpus -q",
    "the tables have no phrases. Give others, or leave out --skip.",
    "pearl corpus build --phrases names.csv -o corpus -q",
  ),
  "text in another script": textCase(
    `printf 'Слово и дело\n' > t2.txt; ${build.replace("t.txt", "t2.txt")}`,
    "Give phrases of other languages with --phrases.",
    `printf 'phrase\nСлово и дело\n' > p.csv; pearl corpus build --phrases p.csv -o corpus -q`,
  ),
  "a column of plain text": textCase(
    `${build} --column text`,
    "plain text has no columns. Leave it out.",
    build,
  ),
  "phrases in a column without a known name": textCase(
    `printf 'id,name,city\n1,Acme,Bonn\n' > p.csv; pearl corpus build --phrases p.csv -o corpus -q`,
    "Name them in the first line: phrase, class, type, count.",
    "sed -i 1s/name/phrase/ p.csv && pearl corpus build --phrases p.csv -o corpus -q",
  ),
  "text that is not UTF-8": {
    files: { "t.txt": Buffer.from("The caf\x82 of Z\x81rich. The caf\x82 of Z\x81rich.\n", "latin1") },
    wrong: build,
    says: "t.txt: not valid UTF-8 text after byte 0. Correct it there, or convert the whole text to UTF-8.",
    cured: `iconv -f CP850 -t UTF-8 t.txt > utf8.txt && ${build.replace("t.txt", "utf8.txt")}`,
  },
  "a corpus that exists": textCase(
    `${build}; ${build}`,
    "corpus is not empty: remove it, or name another folder for the output.",
    `rm -r corpus && ${build}`,
  ),
  "a class that is none": textCase(
    `printf 'phrase,class\nAcme,noun\n' > p.csv; ${build} --phrases p.csv`,
    'unknown class "noun". Use NP',
    `${build} --phrases names.csv`,
  ),
  "a type that is none": textCase(
    `printf 'phrase,type\nAcme,FIRM\n' > p.csv; ${build} --types p.csv`,
    "Known types: ",
    `printf 'phrase,type\nAcme,ORG\n' > p.csv; ${build} --types p.csv`,
  ),
  "a count that is none": textCase(
    `printf 'phrase,class,type,count\nAcme,NP,ORG,some\n' > p.csv; ${build} --phrases p.csv`,
    "must be a whole number from 1 to ",
    `${build} --phrases names.csv`,
  ),
  "synonyms in one column": textCase(
    `printf 'phrase\nAcme\n' > s.csv; ${build} --synonyms s.csv`,
    "Separate the columns with a tab.",
    `printf 'Acme\tAcme Inc\n' > s.tsv; ${build} --synonyms s.tsv`,
  ),
  "a corpus with a phrase missing": textCase(
    `${build}; sed -i '$d' corpus/phrases.tsv; pearl corpus stats corpus`,
    " phrases, but corpus.json states 14. Build the corpus again.",
    `rm -r corpus && ${build} && pearl corpus stats corpus`,
  ),
  "a corpus with an empty file": textCase(
    `${build}; printf '' > corpus/phrases.tsv; pearl corpus stats corpus`,
    "corpus/phrases.tsv is empty: expected the header phrase, class, type, count",
    `rm -r corpus && ${build} && pearl corpus stats corpus`,
  ),
  "a corpus without a header": textCase(
    `${build}; head -1 corpus/phrases.tsv > h; sed -i 1d corpus/phrases.tsv; pearl corpus stats corpus`,
    '". Put the header in the first line.\n',
    "cat h corpus/phrases.tsv > p && mv p corpus/phrases.tsv && pearl corpus stats corpus",
  ),
  "a corpus that is damaged": textCase(
    `${build}; echo { > corpus/corpus.json; pearl corpus stats corpus`,
    "Build the corpus again.",
    `rm -r corpus && ${build} && pearl corpus stats corpus`,
  ),
  "a ratio that no hard negative has": textCase(
    `${build}; pearl mine corpus ${small} --ratio 1`,
    "It must be a number of at least 0 and below 1.",
    `pearl mine corpus ${small} --ratio 0.9`,
  ),
  "hard negatives of nothing": textCase(
    `pearl mine ${small}`,
    "give one of the two: a corpus folder, or --pairs FILE with -o FILE",
    `${minedPairs} -o m.csv`,
  ),
  "hard negatives of pairs without a place": textCase(
    minedPairs,
    "--pairs needs a place for the negatives: add -o FILE",
    `${minedPairs} -o m.csv`,
  ),
  "an option of a corpus for pairs": textCase(
    `${minedPairs} -o m.csv --ratio 0.9`,
    "--ratio is for a corpus, not for --pairs. Leave it out.",
    `${minedPairs} -o m.csv`,
  ),
  "candidates for negatives that are none": textCase(
    `printf 'name\n""\n' > none.csv; ${minedPairs} -o m.csv --among none.csv`,
    "none.csv: the table has no phrases. Give candidates for negatives.",
    `${minedPairs} -o m.csv --among names.csv`,
  ),
  "more hard negatives than are listed": textCase(
    `${build}; pearl mine corpus ${small} --listed 13`,
    "--listed must be a whole number from 1 to 12",
    `pearl mine corpus ${small} --listed 12`,
  ),
};

const commands: Readonly<Record<string, Case>> = {
  "an augmentation that is none, to augment": tableCase(
    `${augment} --probabilities typo=1`,
    'unknown augmentation "typo": use character',
    `${augment} --probabilities character=1`,
  ),
  "a format of what is printed": tableCase(
    "pearl augment Acme --no-wordnet --format csv",
    "--format is for the twins of a table; those of a phrase are printed: leave it out",
    "pearl augment Acme --no-wordnet",
  ),
  "a probability below 0": tableCase(
    `${augment} --probabilities character=-1`,
    '"character=-1" is not NAME=NUMBER, as in character=.3,synonym=.2.',
    `${augment} --probabilities character=.3`,
  ),
  "no probability above 0": tableCase(
    `${augment} --probabilities character=0`,
    "give one augmentation a probability above 0",
    `${augment} --probabilities character=0.5`,
  ),
  "twins into their own table": tableCase(
    `${augment} -o x.csv`,
    "x.csv is an input. Choose another output name.",
    `${augment} -o y.csv`,
  ),
  "a file that is not there": tableCase(
    "pearl augment y.csv",
    'mark a phrase: --phrase "y.csv"',
    'pearl augment --phrase "y.csv" --no-wordnet && pearl augment x.csv --no-wordnet',
  ),
  "phrases beside a table": tableCase(
    "pearl type x.csv Paris",
    'give one table alone, or the text with --phrase "x.csv"',
    'pearl type x.csv && pearl type Paris --phrase "x.csv"',
  ),
  "neither phrases nor a table": tableCase("pearl type -q", "give phrases, or one table", "pearl type Paris"),
  "a file as a query": tableCase(
    `pearl search i.index x.csv ${small}`,
    ' looks like a file: use --queries "x.csv", or --phrase "x.csv" to search for it',
    `pearl search i.index --queries "x.csv" -c name -q && pearl search i.index --phrase "x.csv" -q`,
  ),
  "phrases and a file of queries": tableCase(
    "pearl search i.index Acme --queries x.csv",
    "give phrases or --queries FILE, not both",
    "pearl search i.index Acme -q && pearl search i.index --queries x.csv -c name -q",
  ),
  "an index of another model": tableCase(
    "pearl search i.index Acme -m pearl-mini -q",
    "Use the index's model, or build a new index with the model given.",
    "pearl search i.index Acme -q && pearl index build x.csv -c name -o j.index -q && pearl search j.index Acme -m pearl-mini -q",
  ),
  "an index under the name of a file": tableCase(
    "touch f; pearl index build x.csv -c name -o f -q",
    "f is a file, and an index is a folder. Choose another name.",
    newIndex,
  ),
  "an index in a folder of other files": tableCase(
    "mkdir d && touch d/file && pearl index build x.csv -c name -o d -q",
    "d already exists. Choose another name.",
    newIndex,
  ),
  "an empty key": tableCase(
    `printf 'name,k\nAcme,1\nToyota,\n' > k.csv; pearl index build k.csv -c name -o k.index ${small} --key k`,
    "Give it one.",
    `printf 'name,k\nAcme,1\nToyota,2\n' > k.csv; pearl index build k.csv -c name -o k.index ${small} --key k`,
  ),
  "more dimensions than there are": tableCase(
    `${newIndex} --truncate-dim 9999`,
    "--dims must be between 1 and",
    `${newIndex} --truncate-dim 32`,
  ),
  "a map of another kind": tableCase(
    `pearl plot x.csv -c name -o map.pdf ${small}`,
    "must end in .html or .svg.",
    `pearl plot x.csv -c name -o map.svg ${small}`,
  ),
  "a map of too few phrases": tableCase(
    `head -3 x.csv > few.csv; pearl plot few.csv -c name -o map.svg ${small}`,
    "Give a larger table.",
    `pearl plot x.csv -c name -o map.svg ${small}`,
  ),
  "more clusters than phrases": tableCase(
    `pearl cluster x.csv -c name --k 9 ${small}`,
    " different phrases. Choose a smaller k.",
    `pearl cluster x.csv -c name --k 2 ${small}`,
  ),
  "standard output, to resume": tableCase(
    `pearl encode x.csv -c name -o - --resume ${small}`,
    "--resume continues a file: name it with -o",
    `pearl encode x.csv -c name -o e.csv ${small} --resume`,
  ),
  "a shard beyond the last": tableCase(
    `pearl encode x.csv -c name --shard 3/2 ${small}`,
    "It must be i/n with 1 <= i <= n, for example 2/4.",
    `pearl encode x.csv -c name --shard 2/4 ${small}`,
  ),
  "an output in a file": tableCase(
    `pearl encode x.csv -c name -o x.csv/e.csv ${small}`,
    "is a file, not a folder. Choose another output name.",
    `pearl encode x.csv -c name -o e.csv ${small}`,
  ),
  "a report in place of a folder": tableCase(
    `mkdir d; pearl encode x.csv -c name -o e.csv --json d ${small}`,
    "d: it is a folder. Choose another output name.",
    `pearl encode x.csv -c name -o e.csv --json d/report.json ${small}`,
  ),
  "a joined table in a file": tableCase(
    "cp x.csv z.csv; pearl join x.csv z.csv --on name -m none -q -o x.csv/j.csv",
    "its folder is a file. Choose another output name.",
    "pearl join x.csv z.csv --on name -m none -q -o new/j.csv",
  ),
  "a delimiter of two characters": tableCase(
    `pearl encode x.csv -c name --delimiter ";;" ${small}`,
    "Give one plain character, or comma, tab, semicolon or pipe.",
    `pearl encode x.csv -c name --delimiter comma ${small}`,
  ),
  "a shell that is none": tableCase(
    "pearl completion tcsh",
    "use bash, zsh or fish",
    "pearl completion bash > /dev/null && pearl completion zsh > /dev/null && pearl completion fish > /dev/null",
  ),
};

const models: Readonly<Record<string, Case>> = {
  ...Object.fromEntries(
    [
      ["a tokenizer", "merges.txt", "nor vocab.json with merges.txt to build it from"],
      [
        "a configuration",
        "config.json",
        "config.json is missing: it gives the shape of the model. Download it too.",
      ],
      ["weights", "model.safetensors", "there is no model.safetensors to import"],
    ].map(([what, file, says]) => [
      `a model to import without ${what}`,
      modelCase(
        `rm f/${file}; pearl import f -o model -q`,
        says,
        `cp ${file} f && pearl import f -o model -q`,
      ),
    ]),
  ),
  "checksums of no folder": modelCase(
    "pearl models check --accept",
    "pearl models check FOLDER --accept",
    "pearl import f -o model -q && pearl models check model --accept",
  ),
  "an import into a folder that is not empty": modelCase(
    "mkdir model && touch model/file && pearl import f -o model -q",
    "model is not empty: remove it, or name another folder for the output.",
    "pearl import f -o another -q && rm -r model && pearl import f -o model -q",
  ),
  "a model folder without a graph": modelCase(
    "rm f/model.safetensors; pearl encode x.csv -c name -m ./f -q",
    "pearl import FOLDER -o OUT",
    "cp model.safetensors f && pearl import f -o model -q && pearl encode x.csv -c name -m ./model -q",
  ),
  "an export of a model without a transformer": modelCase(
    "pearl export pearl-strings -o out -q",
    "Give an encoder of bert, roberta",
    "pearl import f -o model -q && pearl export model -o out -q",
  ),
};

claimCures(
  { ...corpus, ...commands, ...models },
  {
    files: {
      ...{ "t.txt": text, "x.csv": table },
    },
    before: index,
  },
);
