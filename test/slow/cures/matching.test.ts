/** Messages on join's own options, and on files of labels and decisions: each names a cure, which is applied and works. */
import { type Case, claimCures } from "./cases.js";

const join = "pearl join a.csv b.csv --on name --model none -q";
const other = "pearl join a.csv c.csv --on name=company --model none -q";
const dedupe = "pearl dedupe a.csv -c name --model pearl-strings -o kept.csv -q";
const link = (store: string): string => `pearl link a.csv --store ${store} -o linked.csv -q`;
const reviewAgain = `${join} --review-out new.csv && sed -i '2s/^/yes/' new.csv && ${join} --review new.csv`;

const usage = (wrong: string, says: string, cured: string): Case => ({ files: {}, wrong, says, cured });

/** A file of labels or decisions, wrong and corrected. */
const decisions = (
  option: "--labels" | "--review",
  [wrong, says, right]: readonly [string, string, string],
  command = join,
): Case => ({
  files: { "wrong.csv": wrong, "right.csv": right },
  ...{ wrong: `${command} ${option} wrong.csv`, says, cured: `${command} ${option} right.csv` },
});

const options: Readonly<Record<string, Case>> = {
  "aliases without a name, and a name in two rows": {
    files: {
      "lone.csv": "name,alias\nAcme Inc,Acme\nToyota,\n",
      "twice.csv": "name,alias\nAcme Inc,Acme\nAcme Ltd,ACME\n",
      "right.csv": "name,alias\nAcme Inc,Acme\n",
    },
    wrong: `${join} --aliases twice.csv`,
    says: 'twice.csv, rows 1 and 2 both have "ACME". Leave it in one of them.',
    cured: `${join} --aliases right.csv`,
  },
  "a table of which no column of text tells the rows apart": {
    files: {
      "p.csv": `id,title\n${Array.from({ length: 30 }, (_, id) => `${id},${id % 2 ? "Mr" : "Ms"}\n`).join("")}`,
    },
    wrong: "pearl cluster p.csv --model pearl-strings -q",
    says: "No column of text tells the rows apart. If another one does, name it (-c COLUMN):",
    cured: "pearl cluster p.csv --model pearl-strings -q -c id",
  },
  "phrases that are to be encoded without a model": usage(
    "pearl encode a.csv -c name --model none -o e.npy -q",
    "this command needs embeddings. Name a model",
    "pearl encode a.csv -c name --model pearl-strings -o e.npy -q",
  ),
  "columns whose headers have equals signs": {
    files: { "p.csv": "a,a=bb\nAcme,Toyota\n", "q.csv": "bb=c,c\nAcme Inc,Toyota\n" },
    wrong: "pearl join p.csv q.csv --on a=bb=c --model none -q",
    says: "Write \\= for an equals sign within a header",
    cured: "pearl join p.csv q.csv --on 'a\\=bb=c' --model none -q",
  },
  "topics without a model": usage(
    "pearl cluster a.csv -c name --k 1 --model none -q",
    "--k makes topics of embeddings: leave --model none out",
    "pearl cluster a.csv -c name --k 1 -q",
  ),
  "more matches than a row may have": usage(
    `${join} --kind many-to-many --top 9`,
    "--top must be at most 8",
    `${join} --kind many-to-many --top 8`,
  ),
  "matches of a row without their kind": usage(
    `${join} --top 2`,
    "--top needs --kind many-to-many",
    `${join} --top 2 --kind many-to-many`,
  ),
  "explanations for programs under another name": usage(
    `${join} --explain-out why.json`,
    "end its name in .jsonl",
    `${join} --explain-out why.jsonl`,
  ),
  "an ending that the output does not have": usage(
    `${join} -o joined.out`,
    "or add --format csv (for -o).",
    `${join} -o joined.out --format csv && ${join} -o joined.csv`,
  ),
  "an ending that a review does not have": usage(
    `${join} --review-out review.out --format csv`,
    "End the name in one of these",
    `${join} --review-out review.csv --format csv`,
  ),
  "a kind that is none": usage(
    `${join} --kind one`,
    "Allowed choices are one-to-one, many-to-one, many-to-many.",
    `${join} --kind one-to-one && ${join} --kind many-to-one && ${join} --kind many-to-many`,
  ),
  "a precision above 1": usage(
    `${join} --precision 95`,
    "It must be a number between 0 and 1.",
    `${join} --precision 0.95`,
  ),
  "no candidates": usage(
    `${join} --candidates 0`,
    "It must be a whole number of at least 1.",
    `${join} --candidates 1`,
  ),
  "standard input as both tables": usage(
    "pearl join - - --on name --model none -q < a.csv",
    "only one of the tables can be standard input",
    "pearl join - b.csv --on name --model none -q < a.csv",
  ),
  "a precision that is not established": {
    files: {},
    wrong: `${join.replace(" -q", "")} && false`,
    says: "decide doubtful pairs (--review-out FILE, then --review FILE)",
    cured: reviewAgain,
  },
};

const ruled = "pearl dedupe r.csv --model none -o kept.csv -q";
const rules = {
  "r.csv":
    "name,city,email,fax\nAcme,Berlin,a@x.example,\nAcme Inc,Berlin,a@x.example,\nBosch,Ulm,b@x.example,\n",
  "s.csv": "name,city,mail\nAcme,Berlin,a@x.example\nBosch,Ulm,b@x.example\n",
};
const land = Array.from({ length: 3200 }, (_, row) => `n${row},c${row % 70},x,${row}@x.example\n`);

const ruleCases: Readonly<Record<string, Case>> = {
  "a rule on a column that no table has": {
    ...{ files: rules, wrong: `${ruled} --same emial` },
    ...{ says: 'r.csv: no column "emial". The columns are name, city, email, fax. Did you mean "email"?' },
    cured: `${ruled} --same email`,
  },
  "a rule without a column": {
    ...{
      files: rules,
      wrong: `${ruled} --never ""`,
      says: 'no column "". The columns are name, city, email, fax. Choose one',
    },
    cured: `${ruled} --never city`,
  },
  "a rule on a column without a filled cell": {
    ...{ files: rules, wrong: `${ruled} --same fax` },
    ...{ says: "--same fax: column fax is empty in every row. Name another column, or leave the rule out." },
    cured: `${ruled} && ${ruled} --same email`,
  },
  "a rule with more columns of one table": {
    ...{ files: rules, wrong: "pearl join r.csv s.csv --model none -q --same email+city=mail" },
    ...{ says: "2 and 1 columns. Name as many of the right table as of the left one." },
    cured: "pearl join r.csv s.csv --model none -q --same email+city=mail+city",
  },
  "rows between tables of one table": {
    ...{ files: rules, wrong: `${ruled} --between` },
    ...{ says: "and there is only one. Name more tables, or leave --between out." },
    cured: `${ruled} s.csv --between && ${ruled}`,
  },
  "a rule of millions of pairs": {
    files: { "r.csv": `name,city,land,email\n${land.join("")}` },
    ...{
      wrong: `${ruled} --same land`,
      says: "pairs in all. Add a column to the rule, as in --same name+city.",
    },
    cured: `${ruled} --same land+email`,
  },
};

const tables: Readonly<Record<string, Case>> = {
  "no column left": usage(
    "pearl dedupe a.csv --ignore name --ignore city -o kept.csv -q",
    "every column is ignored. Leave one to compare.",
    "pearl dedupe a.csv --ignore city -o kept.csv -q",
  ),
  "an output in place of the table": usage(
    dedupe.replace("kept", "a"),
    "a.csv is an input. Choose another output name.",
    dedupe,
  ),
  "two outputs of one name": usage(
    `${dedupe} --review-out kept.csv`,
    "Two outputs are named kept.csv. Choose different names.",
    `${dedupe} --review-out doubtful.csv`,
  ),
  "a store in no folder": usage(
    link("new/store"),
    "the folder new does not exist. Make it, or choose another.",
    `mkdir new && ${link("new/store")} && ${link("store")}`,
  ),
  "a folder for a store": usage(
    `mkdir folder; ${link("folder")}`,
    "A store is one file: choose another name.",
    link("folder/store"),
  ),
  "a database for a store": usage(
    `"$NODE" -e '
      const { DuckDBInstance } = require(require.resolve("@duckdb/node-api", { paths: [process.env.ENTRY] }));
      DuckDBInstance.create("other").then((own) => own.connect()).then((own) => own.run("CREATE TABLE t (a INT)"))
        .then(() => process.exit())'; ${link("other")}`,
    "other is a DuckDB database but not a store of pearl link. Choose another name.",
    link("store"),
  ),
};

const files: Readonly<Record<string, Case>> = {
  "pairs without labels": {
    files: { "labels.csv": "left,right\nAcme,Acme Inc\n" },
    wrong: `${join} --pairs-out pairs.csv`,
    says: "--pairs-out writes the matches known from --labels or --review: give one of them",
    cured: `${join} --pairs-out pairs.csv --labels labels.csv`,
  },
  "pairs of labels without a match": {
    files: { "no.csv": "left,right,decision\nAcme,Acme Inc,no\n", "yes.csv": "left,right\nAcme,Acme Inc\n" },
    wrong: `${join} --pairs-out pairs.csv --labels no.csv`,
    says: "Pairs are made from the matches among the labels or decisions whose names differ.",
    cured: `${join} --pairs-out pairs.csv --labels yes.csv`,
  },
  "labels in one column": decisions("--labels", [
    "left\nAcme\n",
    "expected left, right and, if some pairs do not match, decision.",
    "left,right,decision\nAcme,Acme Inc,yes\n",
  ]),
  "a label that is half empty": decisions("--labels", [
    "left,right\nAcme,\n",
    "row 1: left or right is empty. Fill in both.",
    "left,right\nAcme,Acme Inc\n",
  ]),
  "a label that no cell holds": decisions("--labels", [
    "left,right\nAcme,ACME Inc\n",
    "Labels must match values in the tables exactly.",
    "left,right\nAcme,Acme Inc\n",
  ]),
  "a label of too many rows": decisions(
    "--labels",
    [
      "left,right\nAcme,Acme Inc\n",
      "Name single pairs by left_row and right_row.",
      "left_row,right_row,decision\n1,1,yes\n",
    ],
    `(echo name; yes Acme | head -101) > m.csv; (echo name; yes "Acme Inc" | head -100) > n.csv; ` +
      "pearl join m.csv n.csv --on name --model none -q",
  ),
  "labels without a decision": decisions("--labels", [
    "left,right,decision\nAcme,Acme Inc,\n",
    "no row has a decision. Write yes or no beside some pairs.",
    "left,right,decision\nAcme,Acme Inc,yes\n",
  ]),
  "a decision that is neither yes nor no": decisions("--review", [
    "left_row,right_row,decision\n1,1,perhaps\n2,2,yes\n",
    '"perhaps" is not a decision. Write yes or no, or leave it empty.',
    "left_row,right_row,decision\n1,1,\n2,2,yes\n",
  ]),
  "a new review over one with answers": {
    files: { "asked.csv": "left_row,right_row,decision\n1,1,yes\n" },
    wrong: `${join} --review-out asked.csv`,
    says: "Apply it (--review), and give the new review another name.",
    cured: `${join} --review asked.csv --review-out new.csv`,
  },
  "two decisions on one pair": decisions("--review", [
    "left_row,right_row,decision\n1,1,yes\n1,1,no\n",
    "judge the same pair, one as a match, one as a non-match. Keep one.",
    "left_row,right_row,decision\n1,1,yes\n",
  ]),
  "two files with decisions on one pair": {
    files: {
      "wrong.csv": "left,right,decision\nAcme,Acme Inc,no\n",
      "right.csv": "left_row,right_row,decision\n1,1,yes\n",
    },
    wrong: `${join} --labels wrong.csv --review right.csv`,
    says: "judge the same pair, one as a match, one as a non-match. Keep one.",
    cured: `${join} --review right.csv`,
  },
  "a decision on one row": decisions(
    "--review",
    [
      "left_row,right_row,decision\n1,1,yes\n",
      "left_row and right_row are the same row. Name two rows.",
      "left_row,right_row,decision\n1,2,no\n",
    ],
    dedupe,
  ),
  "a review of a longer table": {
    files: { "old.csv": "left_row,right_row,decision\n9,1,yes\n" },
    wrong: `${join} --review old.csv`,
    says: "Write the review again for this table.",
    cured: reviewAgain,
  },
  "a review with the tables in another order": {
    files: { "c.csv": "company\nAcme Inc\nToyota Motor\nSiemens AG\nBosch GmbH\n" },
    before: `${other} --review-out old.csv && sed -i '2s/^/yes/' old.csv`,
    wrong: "pearl join c.csv a.csv --on company=name --model none -q --review old.csv",
    says: "Give the tables in the order in which the review was written.",
    cured: `${other} --review old.csv`,
  },
  "a review of a table that has changed": {
    files: {},
    before: `${join} --review-out old.csv && sed -i '2s/^/yes/' old.csv && cp a.csv was.csv`,
    wrong: `printf 'name,city\\nBosch,Stuttgart\\nSiemens,Munich\\nToyota,Aichi\\nAcme,Berlin\\n' > a.csv; ${join} --review old.csv`,
    says: "Use the table as it was, or write the review again.",
    cured: `${reviewAgain} && cp was.csv a.csv && ${join} --review old.csv`,
  },
};

const several = "pearl join p.csv q.csv --on name --on price --on born --model none -o x.csv -q";
const comparisons = Object.fromEntries(
  (
    [
      ["a tolerance of nothing", "price=0", "Give one such as 5% or 2.", "price=5%"],
      ["a share of a date", "born=5%", "Give a tolerance of numbers, of dates one in days", "born=3"],
      ["a tolerance of words", "name=2", "Name a column of numbers or dates.", "price=2"],
      ["a module that is missing", "name=./no.mjs", "Name a file, such as ./compare.mjs", "name=./good.mjs"],
      ["a module without a function", "name=./bad.mjs", "Add one: export default", "name=./good.mjs"],
      ["descending levels", "name=./down.mjs", "Write: export const levels = [0.5, 0.9]", "name=./good.mjs"],
      ["no compared column", "note=./good.mjs", "Compare it (--on), or leave", "note=./good.mjs --on note"],
    ] as const
  ).map(([name, wrong, says, right]): [string, Case] => [
    `a comparison: ${name}`,
    {
      files: {
        "p.csv": "name,price,born,note\nAcme,1.50,2001-02-03,a\nToyota,2.25,2002-03-04,b\n",
        "q.csv": "name,price,born,note\nAcme Inc,1.55,2001-02-04,a\nToyota,2.25,2002-03-04,c\n",
        "good.mjs": "export default (a, b) => (a[0] === b[0] ? 0.9 : 0);\n",
        "bad.mjs": "export const compare = () => 1;\n",
        "down.mjs": "export const levels = [0.9, 0.5];\nexport default () => 1;\n",
      },
      wrong: `${several} --compare ${wrong}`,
      says,
      cured: `${several} --compare ${right}`,
    },
  ]),
);

const thresholds: Readonly<Record<string, Case>> = {
  "a threshold beside a comparison": {
    files: { "first.mjs": "export default (a, b) => Number(a[0] === b[0]);\n" },
    wrong: `${dedupe} --threshold 0.8 --compare name=./first.mjs`,
    says: "--threshold is a similarity as pearl compares phrases: leave --compare out.",
    cured: `${dedupe} --threshold 0.8`,
  },
};

claimCures(
  { ...options, ...ruleCases, ...comparisons, ...thresholds, ...tables, ...files },
  {
    files: {
      "a.csv": "name,city\nAcme,Berlin\nToyota,Aichi\nSiemens,Munich\nBosch,Stuttgart\n",
      "b.csv": "name\nAcme Inc\nToyota Motor\nSiemens AG\nBosch GmbH\n",
    },
  },
);
