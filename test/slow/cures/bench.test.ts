/** Messages of bench: each names a cure, which is applied and works. */
import { type Case, claimCures } from "./cases.js";

const benchCase = (wrong: string, says: string, cured: string): Case => ({ files: {}, wrong, says, cured });
const er = "pearl bench --task er --data d --model tfidf";
const sts = "pearl bench --task sts --data d --model jaccard";
/** Cases of a file of a set that is written over, and of one that is right again. */
const setCase = (file: string, wrong: string, says: string, right: string): Case =>
  benchCase(`printf '${wrong}' > d/er/${file}; ${er}`, says, `printf '${right}' > d/er/${file} && ${er}`);

const judging: Readonly<Record<string, Case>> = {
  "shorter embeddings of a baseline": benchCase(
    "pearl bench --task turney --data d --model jaccard --truncate-dim 10",
    "shortens the embeddings of models, not jaccard. Leave it out, or name a model.",
    "pearl bench --task turney --data d --model jaccard && pearl bench --task turney --data d --model pearl-strings --truncate-dim 10",
  ),
  "a mistyped task": benchCase(
    "pearl bench --task turny --data d --model jaccard",
    "Did you mean turney?",
    "pearl bench --task turney --data d --model jaccard",
  ),
  "a file of data that is empty": benchCase(
    "cp d/turney/turney.txt . && printf '' > d/turney/turney.txt; pearl bench --task turney --data d --model jaccard",
    "turney.txt is empty. Download the file of the data set again.",
    "cp turney.txt d/turney && pearl bench --task turney --data d --model jaccard",
  ),
  "a folder of data that is none": benchCase(
    "pearl bench --task turney --data e --model jaccard",
    "Name the folder with --data or PEARL_DATA",
    "pearl bench --task turney --data d --model jaccard && PEARL_DATA=d pearl bench --task turney --model jaccard",
  ),
  "a set of no kind": setCase(
    "people/about.json",
    '{"kind": "both"}',
    'Write {"kind": "join"} or {"kind": "dedupe"}.',
    '{"kind": "dedupe"}',
  ),
  "a table of a set without ids": setCase(
    "pairs/left.csv",
    "name\\nAcme\\n",
    'no column "id" among name. Add it.',
    "id,name\\na,Acme\\n",
  ),
  "a pair of rows that are not there": setCase(
    "pairs/gt.csv",
    "id_l,id_r\\na,x\\n",
    "no row has the id x. Correct it, or remove the pair.",
    "id_l,id_r\\na,b\\n",
  ),
  "an id of two rows": setCase(
    "pairs/right.csv",
    "id,name\\nb,Acme\\nb,Zora\\n",
    "rows 1 and 2 have the id b. Make them different.",
    "id,name\\nb,Acme\\nc,Zora\\n",
  ),
  "a row without an entity": setCase(
    "people/truth.csv",
    "row,entity\\n1,a\\n",
    "row 2 of the table is missing. Give each row its entity.",
    "row,entity\\n1,a\\n2,a\\n",
  ),
  "entities of one row each": setCase(
    "people/truth.csv",
    "row,entity\\n1,a\\n2,b\\n",
    "no two rows are the same thing. Add true pairs, or remove the set.",
    "row,entity\\n1,a\\n2,a\\n",
  ),
  "more columns than two texts": benchCase(
    `printf 'genre,year,score,a,b\\nx,1,5,cat,cats\\nx,2,1,cat,dog\\n' > d/sts.csv; ${sts}`,
    "are the two texts? Call them sentence1 and sentence2.",
    `printf 'genre,year,score,sentence1,sentence2\\nx,1,5,cat,cats\\nx,2,1,cat,dog\\n' > d/sts.csv; ${sts}`,
  ),
};

claimCures(judging, {
  files: {
    "turney.txt": "a b | ab | a | b | c | d | e | f\nc d | cd | c | d | e | f | g | h\n",
    "table.csv": "name\nAcme\nAcme\n",
    "truth.csv": "row,entity\n1,a\n2,a\n",
    "left.csv": "id,name\na,Acme\n",
    "right.csv": "id,name\nb,Acme\n",
    "gt.csv": "id_l,id_r\na,b\n",
  },
  before:
    "mkdir -p d/turney d/er/people d/er/pairs && mv turney.txt d/turney && mv table.csv truth.csv d/er/people && " +
    'mv left.csv right.csv gt.csv d/er/pairs && printf \'{"kind": "dedupe"}\' > d/er/people/about.json && ' +
    'printf \'{"kind": "join"}\' > d/er/pairs/about.json',
});
