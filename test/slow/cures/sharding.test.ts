/** Messages of shards and their merge: each names a cure, which is applied and works. */

import { expect, it } from "vitest";
import { runBenchmark } from "../../../src/benchmark/runner.js";
import { letterModel, writeData } from "../../benchmark/small-data.js";
import { mergedRun } from "../../files/shards/merged.js";
import { type Case, claimCures } from "./cases.js";

const table = "id,name,city\n1,Acme,Berlin\n2,Acme Inc,Berlin\n3,Siemens,Munich\n4,Bosch,Stuttgart\n";
const join_ = "pearl join x.csv y.csv --on name -m none -q";
const merge = "pearl merge 1.part 2.part -q -o whole.csv";
const second = `${join_} --shard 2/2 -o 2.part`;
/** By all columns. */
const all = "pearl join x.csv y.csv -m none -q";
const both = `${join_} --shard 1/2 -o 1.part && ${second}`;
const models = '"$(dirname "$ENTRY")"/../../models';
/** Both parts exist, and then something happens to them. */
const parted = (then: string, says: string, cured: string, wrong = merge): Case => ({
  ...{ files: {}, wrong: `${then}; ${wrong}`, says, cured },
});

claimCures(
  {
    "a part under the name of a table": parted(
      "true",
      "End its name in .part, then merge all parts: pearl merge PART... -o w.csv",
      `${join_} --shard 1/1 -o w.part && pearl merge w.part -q -o w.csv`,
      `${join_} --shard 1/1 -o w.csv`,
    ),
    "a shard of standard input": parted(
      "true",
      "--shard reads the table again for the merge. Save it to a file first.",
      "cp x.csv saved.csv && pearl encode saved.csv -c name -q -m pearl-strings --shard 1/2",
      "pearl encode - -c name --shard 1/2 <x.csv",
    ),
    "a shard of a table in PostgreSQL": parted(
      "true",
      "--shard reads the table again for the merge. Save it to a file first.",
      "pearl encode x.csv -c name -q -m pearl-strings --shard 1/2",
      "pearl encode postgres://?table=x -c name --shard 1/2",
    ),
    "a limit for a merge without one": parted(
      "for i in 1 2; do pearl encode x.csv -c name -q -m pearl-strings --shard $i/2 -o v$i.part; done",
      "pearl encode has no limit of memory. Leave out --memory.",
      "pearl merge v1.part v2.part -q -o vectors.csv",
      "pearl merge v1.part v2.part -q -o vectors.csv --memory 2g",
    ),
    "a file that is no part": parted(
      "true",
      "x.csv is no part that --shard wrote, or it is cut off. Leave it out; if it is a part, run its shard again.",
      merge,
      "pearl merge 1.part 2.part x.csv",
    ),
    "the file of a first pass": parted(
      `${join_} --learn l.part`,
      "is the first pass of --learn, not a part of a shard. Leave it out, and name the parts",
      `for i in 1 2; do ${join_} --shard $i/2 --learned l.part -o $i.part; done && ${merge}`,
      "pearl merge l.part",
    ),
    "a part that is cut off": parted(
      "truncate -s -5 2.part",
      "2.part is no part that --shard wrote, or it is cut off. Leave it out; if it is a part, run its shard again.",
      `${second} && ${merge}`,
    ),
    "a damaged manifest": parted(
      "sed -i 's/precision\":0/precision\":1/' 2.part",
      "differs. Run its shard again.",
      `${second} && ${merge}`,
    ),
    "damaged content": parted(
      "printf X | dd of=2.part bs=1 seek=3 conv=notrunc 2>/dev/null",
      ". Run the command with --shard 2/2 again.",
      `${second} && ${merge}`,
    ),
    "a part that is not there": parted(
      "rm 2.part",
      "2.part: no such file. Check the name, or run its shard.",
      `${second} && ${merge}`,
    ),
    "a missing part": parted(
      "true",
      "the part of shard 2/2 is missing. Name it too, or run pearl join with --shard 2/2.",
      merge,
      "pearl merge 1.part",
    ),
    "a doubled part": parted(
      "cp 1.part again.part",
      "are both shard 1/2. Leave one of them out.",
      merge,
      "pearl merge 1.part 2.part again.part",
    ),
    "a foreign part": parted(
      `${second} --precision 0.8`,
      "the option precision differs. Leave out the foreign one, or run its shard again as the others.",
      `${second} && ${merge}`,
    ),
    "a table that changed": parted(
      "cp y.csv kept; echo 9,Bosch,Bonn >>y.csv",
      "y.csv has changed since the parts were made, or is gone. Restore it, or run all shards again with it as it is.",
      `${both} && ${merge} && cp kept y.csv && ${both} && ${merge}`,
    ),
    "a model that changed": {
      files: {},
      before: `cp -r ${models}/pearl-strings m && for i in 1 2; do pearl join x.csv y.csv -m ./m -q --shard $i/2 -o m$i.part; done`,
      wrong: `rm -r m && cp -r ${models}/pearl-mini m && pearl merge m1.part m2.part`,
      says: "Merge with the same model and --device.",
      cured: `rm -r m && cp -r ${models}/pearl-strings m && pearl merge m1.part m2.part`,
    },
    "parts of another version": {
      files: {
        "other.mjs": [
          'import { readManifest, readKept, writePart } from "PARTS";',
          'for (const path of ["1.part", "2.part"]) {',
          "  const { version, kept, content, ...head } = await readManifest(path);",
          '  await writePart(path, { ...head, pearl: "0.0.1" }, await readKept(path, { kept }));',
          "}",
        ].join("\n"),
      },
      wrong: `sed -i "s|PARTS|$(dirname "$ENTRY")/../files/shards/part-file.js|" other.mjs && "$NODE" other.mjs && ${merge}`,
      says: "Merge them with that version, or run all shards again.",
      cured: `${both} && ${merge}`,
    },
    "a corpus without a name": {
      files: { "text.txt": "The old harbour is old. The old harbour is here.\n" },
      before: "pearl corpus build text.txt --shard 1/1 -q -o c.part",
      wrong: "pearl merge c.part",
      says: "pearl corpus build has no default output. Name the whole with -o.",
      cured: "pearl merge c.part -o corpus",
    },
    "an output of a command that has none": {
      files: { "names.csv": "phrase\nAcme\nAcmes\n" },
      before: "pearl corpus build --phrases names.csv -q -o c",
      wrong: "pearl mine c -o mined.tsv",
      says: "-o names the part of --shard here: this command's results have their place. Leave -o out.",
      cured: "pearl mine c && pearl mine c --shard 1/1 -o mined.part",
    },
    "a first pass into a file of another name": parted(
      "true",
      "end the file's name in .part",
      `${join_} --learn l.part`,
      `${join_} --learn l.bin`,
    ),
    "a first pass that is a shard": parted(
      "true",
      "--learn is a pass of its own, before the shards. Leave out --shard and --learned.",
      `${join_} --learn l.part && ${second} --learned l.part`,
      `${second} --learn l.part`,
    ),
    "a first pass without shards": parted(
      `${join_} --learn l.part`,
      "--learned is for shards. Add --shard i/n.",
      `${second} --learned l.part`,
      `${join_} --learned l.part`,
    ),
    "a first pass of another run": parted(
      `${join_} --learn l.part --kind one-to-one`,
      ". Make it again with --learn l.part and these options.",
      `${join_} --learn l.part && ${second} --learned l.part`,
      `${second} --learned l.part`,
    ),
    "a first pass that is not there": parted(
      "true",
      "l.part: no such file. Check the name, or make it with --learn l.part.",
      `${all} --learn l.part && ${all} --learned l.part --shard 2/2 -o 2.part`,
      `${all} --learned l.part --shard 2/2 -o 2.part`,
    ),
    "a first pass that is damaged": parted(
      `${all} --learn l.part && printf X | dd of=l.part bs=1 seek=3 conv=notrunc 2>/dev/null`,
      ". Run the command with --learn l.part again.",
      `${all} --learn l.part && ${all} --learned l.part --shard 2/2 -o 2.part`,
      `${all} --learned l.part --shard 2/2 -o 2.part`,
    ),
    "a shard that needs more memory": parted(
      `${all} --learn l.part`,
      "need at least 229 MB of memory, and the limit is 100 MB. Raise it: --memory 229m",
      `${all} --learned l.part --shard 2/2 -o 2.part --memory 229m`,
      `${all} --learned l.part --shard 2/2 -o 2.part --memory 100m`,
    ),
    "a link that learns nothing": {
      files: {},
      before: "pearl link x.csv --store s.pearl -m none -q",
      wrong: "pearl link x.csv --store s.pearl -m none -q --shard 1/2",
      says: "which is no work to share. Leave out --shard, or add --relearn.",
      cured:
        "pearl link x.csv --store s.pearl -m none -q && pearl link x.csv --store s.pearl -m none -q --shard 1/2 --relearn",
    },
  },
  { files: { "x.csv": table, "y.csv": table.replace("Acme Inc", "Acme Incorporated") }, before: both },
);

it("the cure of a model that changes between shards of a benchmark works", async () => {
  const dataFolder = writeData();
  const bench = (fingerprintOf: () => string) =>
    mergedRun(2, (sharing) => {
      const model = { ...letterModel, fingerprint: fingerprintOf() };
      return runBenchmark({ tasks: ["turney", "bird"], models: [model], dataFolder, sharing });
    });
  let times = 0;
  await expect(bench(() => `model ${times++}`)).rejects.toThrow(
    /shards found toy different. Run all of them again with the same model./,
  );
  expect((await bench(() => "same"))[0].results).toHaveLength(3);
});
