/** Messages of the commands that train: each names a cure, which is applied and works. */
import { makeOracleModel } from "../../../encoder/oracle-model.js";
import { type Case, claimCures } from "../cases.js";

const text =
  "The New York Times was read in New York by the New York Times reader.\n" +
  "The old harbour of Bergen lies in the north of the old town, and the old harbour is deep.\n";
const pairs = "text,positive,type\nAcme Inc,Acme,ORG\nToyota Motor,Toyota,ORG\nBonn,City of Bonn,GPE\n";
const untyped = "text,positive\nAcme Inc,Acme\nToyota Motor,Toyota\nBonn,City of Bonn\n";

const makeCorpus = "pearl corpus build t.txt -o corpus --min-count 1 -q";
const base = "--base none --set shape.layers=0 --set characters.from=bag";
const step = "--set hardNegatives=0 -q --threads 1 --steps 1";
/** Without augmentation, which would read WordNet. */
const quick = `--set augmentation=none ${step}`;
const onCorpus = `pearl train --corpus corpus -o model ${quick}`;
const pairTraining = "pearl finetune --pairs p.csv -o model -q --threads 1 --steps 1";
const onPairs = `${pairTraining} --base ${makeOracleModel("encoder.folded.onnx")}`;
const onScores = `${onPairs} --objective regression`;
const augmented = `pearl train --corpus corpus -o model ${step} ${base}`;
const ablate = `pearl ablate --corpus corpus -o ablation --data bench --task turney ${base} ${quick}`;

/** A case of the shared files alone. */
const corpusCase = (wrong: string, says: string, cured: string): Case => ({ files: {}, wrong, says, cured });
const pairsCase = (table: string, wrong: string, says: string, cured: string): Case => ({
  files: { "p.csv": table, "ok.csv": untyped, "types.csv": "phrase,type\nAcme,NP-ORG\nBonn,NP-GPE\n" },
  ...{ wrong, says, cured },
});
const fixedTable = onPairs.replace("p.csv", "ok.csv");

const cases: Readonly<Record<string, Case>> = {
  "a corpus that is none": corpusCase(
    `rm -r corpus; ${onCorpus} ${base}`,
    "Make one: pearl corpus build TEXT -o corpus",
    `${makeCorpus} && ${onCorpus} ${base}`,
  ),
  "too few pairs to hold some out": pairsCase(
    untyped,
    `${onPairs} --validate 0.1`,
    "that share no phrase with others. Leave --validate out.",
    onPairs,
  ),
  "pairs with scores to hold out": pairsCase(
    "text,positive,score\nAcme Inc,Acme,1\nToyota Motor,Toyota,0.5\nBonn,City of Bonn,0\n",
    `${onScores} --validate 0.4`,
    "no scores, and enough pairs that share no phrase with others. Leave --validate out.",
    onScores,
  ),
  "no data to score on": pairsCase(
    untyped,
    `${onPairs} --eval-data nowhere`,
    "there is no folder to score the model on (--eval-data). Name another.",
    `${onPairs} --eval-data bench`,
  ),
  "a batch of one pair": pairsCase(
    untyped,
    `${onPairs} --batch-size 1`,
    "as the other pairs of a batch are the negatives: give at least 2",
    `${onPairs} --batch-size 2`,
  ),
  "types of no pairs": pairsCase(
    untyped,
    `${onCorpus} ${base} --types types.csv`,
    "--types gives types to pairs: add --pairs FILE.",
    `${onCorpus} ${base} --types types.csv --pairs p.csv`,
  ),
  "several tables of pairs on a corpus": pairsCase(
    untyped,
    `${onCorpus} ${base} --pairs p.csv --pairs ok.csv`,
    "takes pairs of one table into each batch: give one",
    `${onCorpus} ${base} --pairs p.csv`,
  ),
  "a table of pairs that is given twice": pairsCase(
    untyped,
    `${onPairs} --pairs p.csv`,
    "p.csv is given twice. Give it once, with a weight such as p.csv=2.",
    onPairs.replace("p.csv", "p.csv=2"),
  ),
  "a teacher that is given twice": pairsCase(
    untyped,
    `${onPairs} --teacher pearl-strings --teacher pearl-strings`,
    "the teacher pearl-strings is given twice. Give it once.",
    `${onPairs} --teacher pearl-strings`,
  ),
  "settings of a view without it": pairsCase(
    untyped,
    `${onPairs} --set punctuation.most=2`,
    "is for --view punctuation: add it",
    `${onPairs} --set punctuation.most=2 --view punctuation`,
  ),
  "evaluations on a corpus without data": corpusCase(
    `${onCorpus} ${base} --patience 2`,
    "--patience counts evaluations: add --eval-data FOLDER",
    `${onCorpus} ${base} --patience 2 --eval-data bench`,
  ),
  "layers of a model that has its own": pairsCase(
    untyped,
    `${onCorpus} --base pearl-mini --set shape.layers=0`,
    " has its own: leave it out, or add --base none",
    `${onCorpus} --base none --set shape.layers=0 --set characters.from=bag && ${onCorpus} --base pearl-mini -o another`,
  ),
  "a model on standard output": pairsCase(
    untyped,
    `${onPairs.replace("-o model", "-o -")}`,
    "cannot go to standard output. Name it, such as -o ",
    onPairs,
  ),
  "a model with nothing to train": corpusCase(
    `${onCorpus} --base none --set shape.layers=0 --set characters=none`,
    "use at least one layer or a character encoder",
    `${onCorpus} --base none --set shape.layers=0 --set characters.from=bag`,
  ),
  "a width that its heads do not divide": corpusCase(
    `${onCorpus} --base none --set shape.hidden=129 --set shape.layers=1`,
    "set another shape.hidden",
    `${onCorpus} --base none --set shape.hidden=16 --set shape.layers=1 --set characters.from=bag --set shape.vocabulary=200`,
  ),
  "a vocabulary that is too small": corpusCase(
    `${onCorpus} --base none --set shape.hidden=16 --set shape.layers=1 --set characters.from=bag --set shape.vocabulary=8`,
    "Choose a larger vocabulary.",
    `${onCorpus} --base none --set shape.hidden=16 --set shape.layers=1 --set characters.from=bag --set shape.vocabulary=200`,
  ),
  "a character encoder that is none": corpusCase(
    `${onCorpus} --base none --set shape.layers=0 --set characters.from=lov`,
    '"lov" is no character encoder: use ',
    `${onCorpus} --base none --set shape.layers=0 --set characters.from=bag`,
  ),
  "a folder without a character encoder": {
    files: { "w.csv": "word\nharbour\nharbor\nriver\nrivers\n" },
    wrong:
      `${onCorpus} -o plain --base none --set shape.hidden=16 --set shape.layers=1 --set shape.vocabulary=200 --set characters=none; ` +
      `${onCorpus} --base none --set shape.layers=0 --set characters.from=plain`,
    says: "Make one with: pearl pretrain-characters -o FOLDER",
    cured:
      "pearl pretrain-characters -o spelling -q --kind ngrams --width 8 --epochs 1 --words w.csv && " +
      `${onCorpus} --base none --set shape.layers=0 --set characters.from=spelling`,
  },
  "a second character encoder": corpusCase(
    `${onCorpus} -o first --base none --set shape.hidden=16 --set shape.layers=1 --set shape.vocabulary=200 --set characters.from=bag; ` +
      `${onCorpus} --base ./first --set characters.from=bag`,
    "Train it without a second one (--set characters=none).",
    `${onCorpus} --base ./first --set characters=none`,
  ),
  "phrases of a corpus that are separated by two tabs": corpusCase(
    `sed -i '2s/\\t/\\t\\t/' corpus/phrases.tsv; ${onCorpus} ${base}`,
    "Separate them with single tabs.",
    `sed -i '2s/\\t\\t/\\t/' corpus/phrases.tsv && ${onCorpus} ${base}`,
  ),
  "an augmentation that is none": corpusCase(
    `${augmented} --set augmentation.probabilities.spelling=1`,
    'unknown augmentation "spelling": use character',
    `${augmented} --set augmentation.probabilities.character=1`,
  ),
  "a learning rate at which the loss explodes": corpusCase(
    `${onCorpus} ${base} --steps 4 --lr 1e38`,
    ", at learning rate 1e+38. Use a smaller learning rate or clip gradients.",
    `${onCorpus} ${base} --steps 4 --lr 1e-3`,
  ),
  "pairs in one column": pairsCase(
    "text\nAcme\nToyota\n",
    onPairs,
    "expected two: a phrase and one that means the same (columns text and positive",
    fixedTable,
  ),
  "pairs of columns that are not named": pairsCase(
    "id,name,alias\n1,Acme Inc,Acme\n2,Toyota Motor,Toyota\n",
    onPairs,
    "which columns hold the two phrases of a pair? The table has id, name, alias. Name them text and positive.",
    `sed -i 1s/name,alias/text,positive/ p.csv && ${onPairs}`,
  ),
  "labels for an objective that does not read them": pairsCase(
    "text,label,score\nAcme Inc,acme,1\nAcme,acme,0.5\nToyota Motor,toyota,1\nToyota,toyota,0\n",
    onScores,
    "Choose an objective for labels (sup-con, soft-nearest, gaussian), or add the column positive.",
    `${onPairs} --objective sup-con && sed -i '1s/$/,positive/; 2,$s/$/,Acme/' p.csv && ${onScores} -o another`,
  ),
  "pairs without rows": pairsCase(
    "text,positive\n",
    onPairs,
    "the table has no rows. Give at least two different pairs.",
    fixedTable,
  ),
  "a score that is no number": pairsCase(
    "text,positive,score\nAcme,Acme Inc,high\nToyota,Toyota Motor,0.2\n",
    onScores,
    'the score "high" is not a number. Write one such as 0.8, or leave it empty.',
    `sed -i s/high/0.8/ p.csv && ${onScores} && sed -i s/0.8// p.csv && ${onScores} -o another`,
  ),
  "pairs that are half empty": pairsCase(
    "text,positive\nAcme,\nToyota,\n",
    onPairs,
    "text or positive is empty in all 2 rows. Fill both columns.",
    fixedTable,
  ),
  "one pair again and again": pairsCase(
    "text,positive\nAcme,Acme Inc\nAcme,Acme Inc\n",
    onPairs,
    "all rows hold the same pair. Give at least two different pairs.",
    fixedTable,
  ),
  "hard negatives beside the view punctuation": pairsCase(
    "text,positive,negative\nAcme Inc,Acme,Acne\nToyota Motor,Toyota,Toyama\n",
    `${onPairs} --view punctuation`,
    "the view punctuation takes the place of hard negatives: leave out the column negative",
    `cut -d, -f1,2 p.csv > two.csv && ${onPairs.replace("p.csv", "two.csv")} --view punctuation`,
  ),
  "types that the base does not have": pairsCase(
    pairs,
    pairTraining,
    "Use its types, leave types out (--set types=none), or train a transformer",
    `${pairTraining} --set types=none && rm -r model && ${fixedTable} --set types=types.csv`,
  ),
  "types that are all the same": pairsCase(
    pairs.replace("GPE", "ORG"),
    onPairs,
    "give at least two, or leave types out (--set types=none)",
    `${onPairs} --set types=none`,
  ),
  "a table of types in one column": pairsCase(
    untyped,
    `printf 'phrase\nAcme\n' > one.csv; ${onPairs} --set types=one.csv`,
    "Add the type to each row.",
    `${onPairs} --set types=types.csv`,
  ),
  "a mistyped base": pairsCase(
    untyped,
    `${pairTraining} --base pearl-mni`,
    "did you mean pearl-mini?",
    `${pairTraining} --base pearl-mini`,
  ),
  "a base whose weights cannot be trained": pairsCase(
    untyped,
    `${pairTraining} --base pearl-strings`,
    "Start from a full-precision model.",
    onPairs,
  ),
  "an output that is not empty": pairsCase(
    untyped,
    `mkdir -p model && touch model/file; ${onPairs}`,
    "model is not empty: remove it, or name another folder for the output.",
    `${onPairs} -o another && rm -r model && ${onPairs}`,
  ),
  "an output that is a file": pairsCase(
    untyped,
    `touch model; ${onPairs}`,
    "model is a file: name a new folder for the output.",
    `${onPairs} -o another`,
  ),
  ...Object.fromEntries(
    [
      ["text that is not named", "", "name the texts of the base's pretraining (--context)"],
      [
        "text that the base was not pretrained on",
        "--context other.txt",
        "the texts are not those of the base's pretraining: name the same texts",
      ],
    ].map(([name, context, says]) => [
      name,
      {
        files: {
          "long.txt": text.repeat(20),
          "other.txt": text.repeat(20).replaceAll("harbour", "haven"),
          "mine.yaml": "base: reader\ncontexts: {spans: 4, weight: 0.5}\n",
        },
        before:
          "pearl pretrain long.txt -o reader -q --steps 1 --layers 1 --hidden 8 --heads 2 --batch-size 8",
        wrong: `${onCorpus} --preset mine.yaml ${context}`,
        says,
        cured: `${onCorpus} --preset mine.yaml --context long.txt`,
      },
    ]),
  ),
  "a part that is none": corpusCase(
    `${ablate} --parts spelling`,
    'unknown part "spelling": use types, characters',
    `${ablate} --parts types`,
  ),
  "a part that is off already": corpusCase(
    `${ablate} --parts averaging`,
    "Name other --parts, or none to leave out each one.",
    `${ablate} --parts types`,
  ),
  "a setting that a grid does not vary": corpusCase(
    `${ablate} --grid seed=1,2`,
    'a grid cannot vary "seed": use ',
    `${ablate} --grid temperature=0.1,0.2`,
  ),
  "a picture of no grid": corpusCase(
    `${ablate} --parts types --plot grid.svg`,
    "--plot draws a grid: add --grid SETTING=VALUES",
    `${ablate} --grid temperature=0.1,0.2 --plot grid.svg`,
  ),
  "results that are damaged": corpusCase(
    `${ablate} --parts types; echo { > ablation/whole.json; ${ablate} --parts types`,
    "Remove the file, or name another folder.",
    `rm ablation/whole.json && ${ablate} --parts types && ${ablate} --parts types -o another`,
  ),
  "results of another ablation": corpusCase(
    `${ablate} --parts types; ${ablate} --parts types --set temperature=0.2`,
    "Name another folder, or remove the file.",
    `${ablate} --parts types --set temperature=0.2 -o another`,
  ),
  "a model of another ablation": corpusCase(
    `${ablate} --parts types; rm ablation/whole.json; ${ablate} --parts types --set temperature=0.2`,
    "Name another folder, or remove this one.",
    `${ablate} --parts types --set temperature=0.2 -o another && rm -r ablation/whole && ${ablate} --parts types`,
  ),
  "an option that is no number": corpusCase(
    `${onCorpus} ${base} --steps 0`,
    "It must be a whole number of at least 1.",
    `${onCorpus} ${base} --steps 1`,
  ),
  "a length of training that is given twice": corpusCase(
    `${onCorpus} ${base} --epochs 1`,
    "option '--steps <n>' cannot be used with option '--epochs <n>'",
    `${onCorpus} ${base}`,
  ),
};

claimCures(cases, {
  files: {
    ...{ "t.txt": text, "p.csv": pairs },
    "turney.txt": "a b | ab | a | b | c | d | e | f\nc d | cd | c | d | e | f | g | h\n",
  },
  before: `${makeCorpus} && mkdir -p bench/turney && mv turney.txt bench/turney`,
});
