/**
 * One run for benchmarks/scale.mjs in a process of its own, on one thread: prints CPU seconds by stage, candidate pairs and
 * memory as JSON. `node stages.mjs '{"kind":"dedupe","files":["a.csv"],"shard":2,"shards":25}'`
 */
const { kind, files, output, shard, shards = 1, learned } = JSON.parse(process.argv[2]);
const seconds = {};
let [stage, before] = ["start", { user: 0, system: 0 }];
/** Counts the time since the last call, of all threads, as that of the stage that ends. */
function next(following) {
  if (following === stage) return;
  const { user, system } = process.cpuUsage();
  seconds[stage] = (seconds[stage] ?? 0) + (user + system - before.user - before.system) / 1e6;
  [stage, before] = [following, { user, system }];
}

const { sharingOf, ShardDone } = await import("../../dist/files/shards/shard.js");
const { withEncoder } = await import("../../dist/encoder/with-encoder.js");
const { encodeTable } = await import("../../dist/encoder/encode-table.js");
const { joinTables } = await import("../../dist/join/join-tables.js");
const { dedupeTable } = await import("../../dist/group/tables/dedupe-table.js");
const { Table } = await import("../../dist/table/table.js");

const sharing = shards > 1 ? { ...sharingOf({ index: shard, count: shards }), learned } : undefined;
const options = { encoder: "none", threads: 1, sharing, onProgress: (name) => next(name) };
let pairs;
if (kind === "scan") {
  next("scan");
  await (await Table.open(files[0])).close();
} else if (kind === "encode") {
  next("load");
  await withEncoder(undefined, { threads: 1 }, async (encoder) => {
    await encoder.encode(["a name"]);
    next("encode");
    await encodeTable(files[0], output, encoder, { table: { column: "name" }, format: "parquet" });
    next("end");
  });
} else {
  next("read");
  try {
    if (kind === "dedupe") await dedupeTable(files[0], { kept: output }, options);
    else await joinTables(files[0], files[1], output, options);
  } catch (error) {
    if (!(error instanceof ShardDone)) throw error;
    pairs = error.kept.left.length;
  }
}
next("end");
const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
const heap = Math.round(process.memoryUsage().heapUsed / 2 ** 20);
console.log(JSON.stringify({ seconds, pairs, megabytes, heap }));
