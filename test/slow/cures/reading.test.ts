/** Messages on tables, and on commands that read them: each names a cure, which is applied and works. */
import { fileURLToPath } from "node:url";
import { type Case, claimCures } from "./cases.js";

const encode = "pearl encode --model pearl-strings -q";
const workbook = fileURLToPath(new URL("../../fixtures/workbook.xlsx", import.meta.url));
const shop = fileURLToPath(new URL("../../fixtures/shop.db", import.meta.url));
const table = "name,city\nAcme,Berlin\nToyota,Aichi\n";

const cases: Readonly<Record<string, Case>> = {
  "a row with too many cells": {
    files: { "x.csv": "name,city\nAcme, Inc,Berlin\n", "ok.csv": 'name,city\n"Acme, Inc",Berlin\n' },
    wrong: `${encode} x.csv -c name`,
    says: "line 2: 3 columns, expected 2. Quote fields that contain commas.",
    cured: `${encode} ok.csv -c name`,
  },
  "a workbook without the sheet": {
    files: {},
    before: `cp ${workbook} x.xlsx`,
    wrong: `${encode} "x.xlsx?sheet=Orders"`,
    says: 'x.xlsx has no sheet "Orders". Name one of its sheets: Customers, Orders 2024, Empty.',
    cured: `${encode} "x.xlsx?sheet=Orders 2024"`,
  },
  "an empty sheet": {
    files: {},
    before: `cp ${workbook} x.xlsx`,
    wrong: `${encode} "x.xlsx?sheet=Empty"`,
    says: "or name another sheet: x.xlsx?sheet=NAME",
    cured: `${encode} "x.xlsx?sheet=Customers" -c name`,
  },
  "a database of several tables": {
    files: {},
    before: `cp ${shop} x.db`,
    wrong: `${encode} x.db`,
    says: "x.db has several tables. Name one: ",
    cured: `${encode} "x.db?table=customers"`,
  },
  "a table of a file that is no database": {
    files: { "x.csv": table },
    wrong: `${encode} "x.csv?table=customers"`,
    says: "the file is no SQLite or DuckDB database, or is encrypted. Leave out ?table=, or name a database.",
    cured: `${encode} x.csv`,
  },
  "a database to write": {
    files: { "x.csv": table },
    wrong: `${encode} x.csv -o "y.db?table=customers"`,
    says: "pearl writes no databases. Name a .csv, .tsv, .jsonl, .parquet or .xlsx file.",
    cured: `${encode} x.csv -o y.csv`,
  },
  "a zip file in place of a table": {
    files: { "x.csv": table },
    before: "printf 'PK\\003\\004 and so on' > x.zip",
    wrong: `${encode} x.zip -c name`,
    says: "is a zip file, but not a workbook that pearl can read",
    cured: `${encode} x.csv -c name`,
  },
  "an address of an unknown kind": {
    files: { "x.csv": table },
    wrong: `${encode} gs://bucket/x.csv -c name`,
    says: "Name a file, or an address that begins with s3:// or postgres://.",
    cured: `${encode} x.csv -c name`,
  },
  "a path as a URL": {
    files: { "x.csv": table },
    wrong: `${encode} file:///x.csv -c name`,
    says: "write a path, without file://",
    cured: `${encode} x.csv -c name`,
  },
  "a row with too few cells": {
    files: { "x.csv": "name,city\nAcme\n", "ok.csv": "name,city\nAcme,\n" },
    wrong: `${encode} x.csv -c name`,
    says: "line 2: 1 column, expected 2. Add the missing commas.",
    cured: `${encode} ok.csv -c name`,
  },
  "lines of text with commas": {
    files: { "x.csv": "Paris, France\nRome, Italy\nBerlin\n" },
    wrong: `${encode} x.csv --no-header`,
    says: "use --input-format text if each line is one phrase.",
    cured: `${encode} x.csv --no-header --input-format text`,
  },
  "lines of text with commas, to classify": {
    files: { "x.csv": "Paris, France\nRome, Italy\nBerlin\n" },
    wrong: "pearl type x.csv --no-header",
    says: "use --input-format text if each line is one phrase.",
    cured: "pearl type x.csv --no-header --input-format text",
  },
  "a quote that is never closed": {
    files: { "x.csv": 'name,city\n"Acme,Berlin\n' },
    wrong: `${encode} x.csv -c name`,
    says: "read quotes as ordinary characters (--no-quotes).",
    cured: `${encode} x.csv -c name --no-quotes`,
  },
  "text after a quote": {
    files: { "x.csv": 'name,city\n"Acme" Inc,Berlin\n', "ok.csv": 'name,city\n"""Acme"" Inc",Berlin\n' },
    wrong: "pearl augment x.csv --no-wordnet",
    says: 'write each quote twice (""), or read quotes as ordinary characters (--no-quotes).',
    cured: "pearl augment x.csv --no-wordnet --no-quotes && pearl augment ok.csv --no-wordnet",
  },
  "a table of labels, whose reading has no options": {
    files: {
      "a.csv": table,
      "b.csv": table,
      "x.csv": 'left,right\n"Acme" Inc,Acme\n',
      "ok.csv": "left,right\nAcme,Acme\n",
    },
    wrong: "pearl join a.csv b.csv --on name --model none --labels x.csv",
    says: 'Inside a quoted cell write each quote twice ("").',
    cured: "pearl join a.csv b.csv --on name --model none --labels ok.csv",
  },
  "two columns of one name": {
    files: { "x.csv": "name,name\nAcme,Berlin\n" },
    wrong: `${encode} x.csv --header`,
    says: "use --no-header if the first line is data.",
    cured: `${encode} x.csv --no-header`,
  },
  "no column of text": {
    files: { "x.parquet": "" },
    before: `printf '{"id":1,"n":2}\n' > n.jsonl`,
    wrong: `${encode} n.jsonl`,
    says: "Name one with --column.",
    cured: `${encode} n.jsonl --column id`,
  },
  "a mistyped column": {
    files: { "x.csv": table },
    wrong: `${encode} x.csv -c nmae`,
    says: 'Did you mean "name"?',
    cured: `${encode} x.csv -c name`,
  },
  "a column of vectors that exists": {
    files: { "x.csv": "name,embedding\nAcme,no\n" },
    wrong: `${encode} x.csv -c name`,
    says: "(--embedding-column)",
    cured: `${encode} x.csv -c name --embedding-column vector`,
  },
  "an encoding that the bytes do not show": {
    files: { "x.csv": Buffer.from("name,city\nZ\x81rich,CH\n", "latin1") },
    wrong: `${encode} x.csv -c name`,
    says: "Correct the line, or name the encoding of the file, such as --encoding shift_jis.",
    cured: `iconv -f CP850 -t WINDOWS-1252 x.csv > w.csv && ${encode} w.csv -c name --encoding windows-1252`,
  },
  "a line in another encoding": {
    files: { "x.csv": Buffer.from("name,city\nZ\xc3\xbcrich,CH\nK\xf6ln,DE\n", "latin1") },
    wrong: `${encode} x.csv -c name`,
    says: "x.csv, line 3: bytes that are not UTF-8. Correct the line,",
    cured: `sed -i "3c Koeln,DE" x.csv && ${encode} x.csv -c name`,
  },
  "an encoding that the file does not have": {
    files: { "x.csv": Buffer.from("name,city\nZ\xfcrich,CH\n", "latin1") },
    wrong: `${encode} x.csv -c name --encoding shift_jis`,
    says: "x.csv, line 2: bytes that are not shift_jis. Name the encoding of the file with --encoding",
    cured: `${encode} x.csv -c name --encoding latin1`,
  },
  "an encoding of a table in UTF-8": {
    files: { "x.csv": "name,city\nZürich,CH\n" },
    wrong: `${encode} x.csv -c name --encoding latin1`,
    says: "the text is UTF-8, not windows-1252. Leave --encoding out.",
    cured: `${encode} x.csv -c name`,
  },
  "UTF-32": {
    files: {
      "my table.csv": Buffer.concat([
        Buffer.from([255, 254, 0, 0]),
        Buffer.from("n\0\0\0\n\0\0\0a\0\0\0\n\0\0\0"),
      ]),
    },
    wrong: `${encode} "my table.csv"`,
    says: 'iconv -f UTF-32 -t UTF-8 "my table.csv" > utf8.csv',
    cured: `iconv -f UTF-32 -t UTF-8 "my table.csv" > utf8.csv && ${encode} utf8.csv`,
  },
  "a NUL byte": {
    files: { "x.csv": `${table}Ze\0bra,Bonn\n${"Acme,Berlin\n".repeat(20)}` },
    wrong: `${encode} x.csv -c name`,
    says: "If only the NULs are wrong, remove them: tr -d '\\000' < x.csv > clean.csv",
    cured: `tr -d '\\000' < x.csv > clean.csv && ${encode} clean.csv -c name`,
  },
  "Parquet under another name": {
    files: { "x.csv": table },
    before: `${encode} x.csv -c name -o p.parquet && mv p.parquet p.csv && cp p.csv q.parquet`,
    wrong: `${encode} p.csv -c name --embedding-column v`,
    says: "Use --input-format parquet or name it .parquet.",
    cured:
      `${encode} p.csv -c name --embedding-column v --input-format parquet && ` +
      `${encode} q.parquet -c name --embedding-column v`,
  },
  "text under the name of Parquet": {
    files: { "x.parquet": "name,city\nAcme,Berlin\n" },
    wrong: `${encode} x.parquet -c name -o y.csv`,
    says: "is not a Parquet file but text. Name its format: --input-format csv, tsv, jsonl or text.",
    cured: `${encode} x.parquet -c name -o y.csv --input-format csv`,
  },
  "Parquet in gzip": {
    files: { "x.csv": "name,city\nAcme,Berlin\n" },
    before: `${encode} x.csv -c name -o p.parquet && gzip p.parquet`,
    wrong: `${encode} p.parquet.gz -c name --embedding-column v -o y.csv`,
    says: "is gzipped, and Parquet is read unpacked. Unpack it: gunzip < p.parquet.gz > unpacked.parquet",
    cured: `gunzip < p.parquet.gz > unpacked.parquet && ${encode} unpacked.parquet -c name --embedding-column v -o y.csv`,
  },
  "a JSON array": {
    files: { "x.json": '[{"name":"Acme"},{"name":"Toyota"}]\n' },
    wrong: `${encode} x.json`,
    says: "jq -c '.[]' x.json > lines.jsonl",
    cured: `jq -c '.[]' x.json > lines.jsonl && ${encode} lines.jsonl`,
  },
  "an ending that rows are not written in": {
    files: { "x.csv": table },
    wrong: "pearl cluster x.csv -c name --model pearl-strings -o x.out",
    says: "or add --format csv (for -o).",
    cured: "pearl cluster x.csv -c name --model pearl-strings -o x.out --format csv",
  },
  "a format of nothing that is written": {
    files: { "x.csv": table },
    wrong: "pearl cluster x.csv -c name --model pearl-strings --format jsonl",
    says: "--format is for tables, and without -o none is written: add -o FILE, or -o - for standard output",
    cured:
      "pearl cluster x.csv -c name --model pearl-strings --format jsonl -o x.out && " +
      "pearl cluster x.csv -c name --model pearl-strings --format jsonl -o -",
  },
  "an ending that embeddings are not written in": {
    files: { "x.csv": table },
    wrong: `${encode} x.csv -c name -o x.out`,
    says: "End the name in .parquet, .csv, .tsv, .jsonl or .npy",
    cured: `${encode} x.csv -c name -o x.tsv`,
  },
  "a model without a type head": {
    files: { "x.csv": table },
    wrong: "pearl type Paris --model pearl-strings",
    says: "Use the embedded model (no --model)",
    cured: "pearl type Paris",
  },
  "a table joined with itself": {
    files: { "x.csv": table },
    wrong: "pearl join x.csv x.csv --on name --model none",
    says: "`pearl dedupe` finds the rows of one table that mean the same.",
    cured: "pearl dedupe x.csv -c name --model pearl-strings",
  },
  "an index that is none": {
    files: { "x.csv": table },
    wrong: "pearl search none.index Acme",
    says: "`pearl index build FILE -o none.index` makes one.",
    cured: "pearl index build x.csv -c name -o none.index && pearl search none.index Acme",
  },
  "a folder that is no index": {
    files: { "x.csv": table },
    before: "mkdir -p plain && touch plain/file",
    wrong: "pearl search plain Acme",
    says: "`pearl index build FILE -o NEW` makes one in a new folder.",
    cured: "pearl index build x.csv -c name -o fresh && pearl search fresh Acme",
  },
  "a folder of other files, for an index": {
    files: { "x.csv": table },
    before: "mkdir plain && touch plain/file",
    wrong: "pearl index build x.csv -c name -o plain",
    says: "plain already exists. Choose another name.",
    cured: "pearl index build x.csv -c name -o fresh",
  },
  "an index that is damaged": {
    files: { "x.csv": table },
    before: "pearl index build x.csv -c name -o d.index && cp -r d.index backup",
    wrong: "echo { > d.index/index.json; pearl search d.index Acme",
    says: "Restore the index from a backup, or remove it and build it again.",
    cured:
      "rm -r d.index && cp -r backup d.index && pearl search d.index Acme && " +
      "rm -r d.index && pearl index build x.csv -c name -o d.index && pearl search d.index Acme",
  },
  "an address for another backend": {
    files: { "x.csv": table },
    wrong: "pearl index build x.csv -c name -o 'postgres://me@localhost:1/shop?table=names' --backend hnsw",
    says: "Leave the backend out, or name a folder.",
    cured: "pearl index build x.csv -c name -o names --backend hnsw",
  },
  "a row without a key": {
    files: { "x.csv": "name,k\nAcme,1\nToyota,\n", "ok.csv": "name,k\nAcme,1\nToyota,2\n" },
    wrong: "pearl index build x.csv -c name --key k -o i.index",
    says: "row 2 has no k, which is the key. Give it one.",
    cured: "pearl index build ok.csv -c name --key k -o i.index",
  },
  "an array of vectors without a name": {
    files: { "x.csv": table },
    wrong: `${encode} x.csv -c name -o - --format npy`,
    says: "an .npy file has its keys beside it: name a file with -o",
    cured: `${encode} x.csv -c name -o v.npy`,
  },
  "an index that exists": {
    files: { "x.csv": table },
    before: "pearl index build x.csv -c name -o i.index",
    wrong: "pearl index build x.csv -c name -o i.index",
    says: "Add rows to it with `pearl index add`, remove it, or choose another name.",
    cured: "pearl index add i.index x.csv && rm -r i.index && pearl index build x.csv -c name -o i.index",
  },
  "a key that exists": {
    files: { "x.csv": table },
    before: "pearl index build x.csv -c name --key name -o k.index",
    wrong: "pearl index add k.index x.csv",
    says: "replace rows (--replace).",
    cured: "pearl index add k.index x.csv --replace",
  },
  "keys that repeat": {
    files: { "x.csv": "name,k\nAcme,1\nToyota,1\n" },
    wrong: "pearl index build x.csv -c name --key k -o r.index",
    says: "without --key rows are numbered.",
    cured: "pearl index build x.csv -c name -o r.index",
  },
  "a corpus that is none": {
    files: { "t.txt": "The New York Times was read in New York by the New York Times reader.\n" },
    wrong: "pearl corpus stats corpus",
    says: "Make one: pearl corpus build TEXT -o corpus",
    cured: "pearl corpus build t.txt -o corpus --min-count 1 && pearl corpus stats corpus",
  },
  "phrases that are all rare": {
    files: { "t.txt": "The old harbour lies in the north.\n" },
    wrong: "pearl corpus build t.txt -o rare",
    says: "give more text, or --min-count 1.",
    cured: "pearl corpus build t.txt -o rare --min-count 1",
  },
  "phrases for --paraphrase-model, and for -o": {
    files: { "x.csv": table },
    wrong: "pearl augment Paris -o twins.csv --no-wordnet",
    says: "-o needs a table of phrases",
    cured: "pearl augment x.csv -o twins.csv --no-wordnet",
  },
  "two ways to group": {
    files: { "x.csv": table },
    wrong: "pearl cluster x.csv -c name --threshold 0.5 --k 2",
    says: "give only one of threshold, k and precision",
    cured: "pearl cluster x.csv -c name --k 2",
  },
  "nothing to delete": {
    files: { "x.csv": table },
    before: "pearl index build x.csv -c name -o d.index",
    wrong: "pearl index delete d.index",
    says: 'either --keys 17 23 or --phrases "Toyota Motor"',
    cured: 'pearl index delete d.index --phrases "Toyota" && pearl index delete d.index --keys 1',
  },
  "a device that is not here": {
    files: { "x.csv": table },
    wrong: `${encode} x.csv -c name --device cuda`,
    says: "Use --device auto or cpu.",
    cured: `${encode} x.csv -c name --device auto && ${encode} x.csv -c name --device cpu`,
  },
};

claimCures(cases);
