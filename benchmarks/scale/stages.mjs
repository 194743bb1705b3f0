/**
 * One run, first pass or shard for benchmarks/scale.mjs in a process of its own, on one thread: prints CPU seconds by stage,
 * candidate pairs, memory, and bytes of what it wrote for others as JSON.
 * `node stages.mjs '{"kind":"dedupe","files":["a.csv"],"learned":"a.part","shard":2,"shards":25}'`
 */
const { kind: called, files, output, shard, shards, learned } = JSON.parse(process.argv[2]);
const [kind, ...pass] = called.split(" ");
const seconds = {};
let [stage, before] = ["start", { user: 0, system: 0 }];
/** Counts the time since the last call, of all threads, as that of the stage that ends. */
function next(following) {
  if (following === stage) return;
  const { user, system } = process.cpuUsage();
  seconds[stage] = (seconds[stage] ?? 0) + (user + system - before.user - before.system) / 1e6;
  [stage, before] = [following, { user, system }];
}

const { firstPass, ShardDone } = await import("../../dist/files/shards/shard.js");
const partFile = await import("../../dist/files/shards/part-file.js");
const { fileFingerprint } = await import("../../dist/files/checksums/fingerprint.js");
const { withEncoder } = await import("../../dist/encoder/with-encoder.js");
const { encodeTable } = await import("../../dist/encoder/encode-table.js");
const { joinTables } = await import("../../dist/join/join-tables.js");
const { dedupeTable } = await import("../../dist/group/tables/dedupe-table.js");
const { compareShard } = await import("../../dist/match/shards/compare-shard.js");
const { Table } = await import("../../dist/table/table.js");

const head = {
  pearl: "",
  command: kind,
  shard: { index: 0, count: 0 },
  arguments: [],
  settings: {},
  inputs: {},
};
const peak = () => Math.round(process.resourceUsage().maxRSS / 1024);

/** Writes what others need. */
async function keep(path, kept) {
  next("keeping");
  await partFile.writePart(path, head, kept);
  const bytes = Object.values(kept).reduce((sum, { byteLength }) => sum + byteLength, 0);
  return { pairs: kept.left.length, bytes };
}

async function scan() {
  next("scan");
  await (await Table.open(files[0])).close();
}

async function encode() {
  next("load");
  await withEncoder(undefined, { threads: 1 }, async (encoder) => {
    await encoder.encode(["a name"]);
    next("encode");
    await encodeTable(files[0], output, encoder, { table: { column: "name" }, format: "parquet" });
    next("end");
  });
}

/** A run, or its first pass. */
async function match() {
  next("read");
  const sharing = pass.length > 0 ? firstPass : undefined;
  const options = { encoder: "none", threads: 1, sharing, onProgress: (name) => next(name) };
  try {
    if (kind === "dedupe") await dedupeTable(files[0], { kept: output }, options);
    else await joinTables(files[0], files[1], output, options);
  } catch (error) {
    if (!(error instanceof ShardDone)) throw error;
    return keep(learned, error.kept);
  }
}

/** A shard, as src/cli/shards/compare-learned.ts does it. */
async function compare() {
  next("checking");
  for (const file of files) await fileFingerprint(file);
  const manifest = await partFile.readManifest(learned);
  await partFile.checkContent(learned, manifest);
  next("picking");
  const reader = partFile.partReader(learned, manifest);
  const options = { threads: 1, onProgress: () => next("comparing") };
  const kept = await compareShard(reader, { index: shard, count: shards }, options);
  const written = await keep(output, kept);
  next("end");
  return { ...written, megabytes: peak(), picked: [kept.left, kept.right].map((rows) => new Set(rows).size) };
}

const work = shards === undefined ? ({ scan, encode }[kind] ?? match) : compare;
const found = await work();
next("end");
console.log(JSON.stringify({ seconds, megabytes: peak(), ...found }));
