/** Messages of the commands that pretrain encoders of words and of text: each names a cure, which is applied and works. */
import { type Case, claimCures } from "../cases.js";

const text =
  "The New York Times was read in New York by the New York Times reader.\n" +
  "The old harbour of Bergen lies in the north of the old town, and the old harbour is deep.\n";
const words = "word\nharbour\nharbor\nriver\nrivers\n";
const misspellings = "wrong,right\nharbur,harbour\nrivr,river\n";

const spelling = "pearl pretrain-characters -o spelling -q --kind ngrams --width 8 --epochs 1";
const reading = "pearl pretrain t.txt -o reader -q --steps 1 --layers 1 --hidden 8 --heads 2 --batch-size 8";

const cases: Readonly<Record<string, Case>> = {
  "a width that its heads do not divide": {
    files: { "t.txt": text.repeat(20) },
    wrong: `${reading} --heads 3`,
    says: "--hidden 8 is not a multiple of --heads 3: set another of either",
    cured: `${reading} --heads 4 && ${reading} --heads 3 --hidden 9 -o another`,
  },
  "a batch of one phrase": {
    files: { "t.txt": text.repeat(20) },
    wrong: `${reading} --batch-size 1`,
    says: "--batch-size 1 leaves nothing to compare a phrase with: give at least 2",
    cured: `${reading} --batch-size 2`,
  },
  "words for a model without a name": {
    files: { "ok.csv": words },
    wrong: `${spelling.replace("-o spelling", "")} --words ok.csv`,
    says: "name the folder of the new model: -o FOLDER.",
    cured: `${spelling} --words ok.csv`,
  },
  "words without enough to compare": {
    files: { "w.csv": "word\nharbour\n", "ok.csv": words },
    wrong: `${spelling} --words w.csv`,
    says: "at least two are needed. Give more words.",
    cured: `${spelling} --words ok.csv`,
  },
  "a BiLSTM of an odd width": {
    files: { "ok.csv": words },
    wrong: "pearl pretrain-characters -o s -q --kind bilstm --width 7 --epochs 1 --words ok.csv",
    says: " states: give an even number",
    cured: "pearl pretrain-characters -o s -q --kind bilstm --width 8 --epochs 1 --words ok.csv",
  },
  "word vectors that are not there": {
    files: { "v.txt": "harbour 1 2\nriver 2 1\n", "ok.csv": words },
    wrong: `${spelling} --vectors none.txt`,
    says: "Give word vectors as text",
    cured: `pearl pretrain-characters -o spelling -q --kind ngrams --width 2 --epochs 1 --vectors v.txt`,
  },
  "word vectors with a number missing": {
    files: { "v.txt": "harbour 1 2\nriver 2\n", "ok.txt": "harbour 1 2\nriver 2 1\n" },
    wrong: `${spelling} --vectors v.txt`,
    says: "Complete or remove the line.",
    cured: `pearl pretrain-characters -o spelling -q --kind ngrams --width 2 --epochs 1 --vectors ok.txt`,
  },
  "word vectors with a word for a number": {
    files: { "v.txt": "harbour 1 2\nriver 2 x\n", "ok.txt": "harbour 1 2\nriver 2 1\n" },
    wrong: `${spelling} --vectors v.txt`,
    says: "Correct or remove the line.",
    cured: `pearl pretrain-characters -o spelling -q --kind ngrams --width 2 --epochs 1 --vectors ok.txt`,
  },
  "a file without word vectors": {
    files: { "v.txt": "\n", "ok.txt": "harbour 1 2\nriver 2 1\n" },
    wrong: `${spelling} --vectors v.txt`,
    says: "Each line must hold a word and its numbers.",
    cured: `pearl pretrain-characters -o spelling -q --kind ngrams --width 2 --epochs 1 --vectors ok.txt`,
  },
  "misspellings beside word vectors": {
    files: { "v.txt": "harbour 1 2\nriver 2 1\n", "n.csv": misspellings, "ok.csv": words },
    wrong: `${spelling} --width 2 --vectors v.txt --noise n.csv`,
    says: "learned noise is for spelling alone: leave out the vectors or the noise",
    cured: `${spelling} --width 2 --vectors v.txt && ${spelling} -o another --words ok.csv --noise n.csv`,
  },
  "synthetic words beside a list": {
    files: { "v.txt": "harbour 1 2\nriver 2 1\n", "n.csv": misspellings, "ok.csv": words },
    wrong: `${spelling} --synthetic 10 --words ok.csv --vectors v.txt --noise n.csv --limit 3`,
    says: "--synthetic takes the place of --words, --vectors, --noise and --limit: leave them out",
    cured: `${spelling} --synthetic 10 --like ok.csv`,
  },
  "words to resemble without a number": {
    files: { "ok.csv": words },
    wrong: `${spelling} --like ok.csv`,
    says: "--like names the words that synthetic ones resemble: add --synthetic N",
    cured: `${spelling} --like ok.csv --synthetic 10`,
  },
  "states of an encoder without any": {
    files: { "ok.csv": words },
    wrong: `${spelling} --words ok.csv --hidden 6`,
    says: "--hidden is for --kind bilstm: ngrams has no states. Leave it out",
    cured: `${spelling} --words ok.csv`,
  },
  "word pieces of an encoder without any": {
    files: { "ok.csv": words },
    wrong: `${spelling} --words ok.csv --pieces 6`,
    says: "--pieces is for --kind love: ngrams reads no word pieces. Leave it out",
    cured: `${spelling} --words ok.csv`,
  },
  "dropout of an encoder without any": {
    files: { "ok.csv": words },
    wrong: `${spelling} --words ok.csv --dropout 0.1`,
    says: "--dropout is for --kind love: ngrams has none. Leave it out",
    cured: `${spelling} --words ok.csv`,
  },
  "misspellings of no word": {
    files: { "marks.csv": "wrong,right\n!!,??\n", "n.csv": misspellings, "ok.csv": words },
    wrong: `${spelling} --words ok.csv --noise marks.csv`,
    says: "and at most 64 characters. Give such rows.",
    cured: `${spelling} --words ok.csv --noise n.csv`,
  },
  "hard negatives of synthetic words": {
    files: { "ok.csv": words },
    wrong: `${spelling} --synthetic 10 --like ok.csv --hard-negatives 2`,
    says: "--synthetic words have no hard negatives: leave out --hard-negatives",
    cured: `${spelling} --synthetic 10 --like ok.csv`,
  },
  "more words than are searched for similar spelling": {
    files: {},
    wrong: `seq 2097153 > many.txt; ${spelling} --words many.txt`,
    says: "use at most 2097152 (--limit)",
    cured: `${spelling} --words many.txt --limit 50`,
  },
  "characters that are damaged": {
    files: { "ok.csv": words },
    before: `${spelling.replace("ngrams", "bag")} --words ok.csv; rm spelling/checksums.json; cp spelling/characters.json .`,
    wrong: "echo { > spelling/characters.json; pearl encode ok.csv -m ./spelling -q",
    says: "Download or export the model again.",
    cured: "cp characters.json spelling; pearl encode ok.csv -m ./spelling -q",
  },
  "text without words, to pretrain on": {
    files: { "t.txt": "… ! …\n", "ok.txt": text.repeat(20) },
    wrong: reading,
    says: "Give another file, or name the column of text (--column).",
    cured: reading.replace("t.txt", "ok.txt"),
  },
  "text that is too short": {
    files: { "t.txt": "The harbour\n", "ok.txt": text.repeat(20) },
    wrong: reading,
    says: " to learn from: give more text",
    cured: reading.replace("t.txt", "ok.txt"),
  },
  "more words without vectors": {
    files: { "t.txt": text.repeat(20), "w.txt": "river\n", "v.txt": "harbour 1 2\nriver 2 1\n" },
    wrong: `${reading} --also-words w.txt`,
    says: "Name a file of word vectors with --vectors.",
    cured: `${reading} --also-words w.txt --vectors v.txt --vector-width 2`,
  },
  "word vectors of another width": {
    files: { "t.txt": text.repeat(20), "v.txt": "harbour 1 2\nriver 2 1\n" },
    wrong: `${reading} --vectors v.txt`,
    says: "Use --vector-width 2.",
    cured: `${reading} --vectors v.txt --vector-width 2`,
  },
  "a file of more words that is not there": {
    files: { "t.txt": text.repeat(20), "w.txt": "river\n", "v.txt": "harbour 1 2\nriver 2 1\n" },
    wrong: `${reading} --also-words none.txt --vectors v.txt --vector-width 2`,
    says: "none.txt: no such file. Check the name and the folder",
    cured: `${reading} --also-words w.txt --vectors v.txt --vector-width 2`,
  },
};

claimCures(cases);
