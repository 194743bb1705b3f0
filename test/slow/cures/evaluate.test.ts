/** Messages of evaluate: each names a cure, which is applied and works. */
import { type Case, claimCures } from "./cases.js";

const evaluate = (words: string): string => `pearl evaluate ${words} --model none -q`;
const cases: Readonly<Record<string, Case>> = {
  "no truth": {
    files: {},
    wrong: evaluate("a.csv"),
    says: "name the known matches: --truth FILE or, of one table, --truth-column NAME",
    cured: `${evaluate("a.csv --truth t.csv")} && ${evaluate("a.csv --truth-column group")}`,
  },
  "a truth without a match": {
    files: { "none.csv": "left_row,right_row,decision\n1,3,no\n" },
    wrong: evaluate("a.csv --truth none.csv"),
    says: "it has no pair of rows that match. Recall needs some: add them.",
    cured: evaluate("a.csv --truth t.csv"),
  },
  "a column of groups of two tables": {
    files: {},
    wrong: evaluate("a.csv b.csv --truth-column group"),
    says: "--truth-column and -c are of one table: use --truth FILE and --on LEFT=RIGHT",
    cured: evaluate("a.csv b.csv --truth t.csv --on name=company"),
  },
  "one column beside others": {
    files: {},
    wrong: evaluate("a.csv --truth t.csv -c name --on city"),
    says: "cannot be used with option '-c, --column <name>'",
    cured: evaluate("a.csv --truth t.csv -c name"),
  },
};

claimCures(cases, {
  files: {
    "a.csv": "group,name,city\na,Acme Ltd,Ulm\na,Acme Limited,Ulm\nb,Zora Foods,Rome\n",
    "b.csv": "company,town\nZora,Rome\nAcme,Ulm\n",
    "t.csv": "left_row,right_row\n1,2\n",
  },
});
