/** pearl's worker in a browser: the command line's functions, called by the page. */
import { type EmbeddingMatrix, PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError } from "../errors.js";
import { removedRows } from "../group/kept-rows.js";
import { duplicatesByPlan } from "../group/roads.js";
import { joinRows } from "../join/roads.js";
import { planColumns, rowsOf } from "../match/columns/fields.js";
import { precisionLine } from "../match/estimates/promise.js";
import { serve } from "../runtime/worker-server.js";
import { exactNeighbours } from "../search/exact.js";
import { foundIn } from "../search/ranking.js";
import type {
  Call,
  DedupeCall,
  DedupeResult,
  EncodeCall,
  EncoderId,
  Hit,
  IndexCall,
  JoinCall,
  JoinResult,
  LoadCall,
  LoadReply,
  Progress,
  SearchCall,
  SimilarityCall,
} from "./calls.js";
import { onDevice } from "./device.js";

interface OpenEncoder {
  readonly encoder: PhraseEncoder;
  /** The phrases that are searched, encoded by their number. */
  readonly indexes: Map<number, EmbeddingMatrix>;
}

const encoders = new Map<EncoderId, OpenEncoder>();

function opened(id: EncoderId): OpenEncoder {
  const open = encoders.get(id);
  if (open === undefined)
    throw new ArgumentError("This encoder was disposed, or ended with its worker. Load it again.");
  return open;
}

/** Progress for the page, and a signal that the page aborts. */
function runOf({ port }: Call) {
  const stopped = new AbortController();
  port.addEventListener("message", () => stopped.abort());
  port.start();
  const onProgress = (stage: string, done: number, total: number): void =>
    port.postMessage({ stage, done, total } satisfies Progress);
  const onEncoded = (done: number, total: number): void => onProgress("encoding", done, total);
  return { signal: stopped.signal, onProgress, onEncoded };
}

serve({
  async load(call: LoadCall) {
    const { signal, onProgress } = runOf(call);
    const { opened: encoder, notes } = await onDevice(call.device, (device) =>
      PhraseEncoder.load(call.address, {
        ...{ threads: call.threads, device, signal },
        onDownload: ({ done, total = done }) => onProgress("downloading", done, total),
      }),
    );
    encoders.set(call.id, { encoder, indexes: new Map() });
    const device = encoder.device === "webgpu" ? "webgpu" : "cpu";
    return { result: { dimension: encoder.dimension, device, notes } satisfies LoadReply };
  },
  async fingerprint({ id }: { readonly id: EncoderId }) {
    return { result: await opened(id).encoder.fingerprint() };
  },
  async encode(call: EncodeCall) {
    const { signal, onEncoded } = runOf(call);
    const run = { ...call.options, signal, onProgress: onEncoded };
    const result = await opened(call.id).encoder.encodeMatrix(call.phrases, run);
    return { result, transfer: [result.data.buffer as ArrayBuffer] };
  },
  async similarity(call: SimilarityCall) {
    const { signal, onEncoded } = runOf(call);
    const run = { signal, onProgress: onEncoded };
    return { result: await opened(call.id).encoder.similarity(call.a, call.b, run) };
  },
  async index(call: IndexCall) {
    const { signal, onEncoded } = runOf(call);
    const { encoder, indexes } = opened(call.id);
    indexes.set(call.index, await encoder.encodeMatrix(call.phrases, { signal, onProgress: onEncoded }));
    return { result: undefined };
  },
  async search(call: SearchCall) {
    const { id, index, phrases, k } = call;
    const { signal, onEncoded } = runOf(call);
    const { encoder, indexes } = opened(id);
    const found = indexes.get(index);
    if (found === undefined) throw new ArgumentError("This index was disposed. Make it again.");
    const { data, dimension } = await encoder.encodeMatrix(phrases, { signal, onProgress: onEncoded });
    const result: Hit[][] = foundIn(await exactNeighbours(data, found.data, { dimension, k, signal }));
    return { result };
  },
  async dispose({ id, index }: { readonly id: EncoderId; readonly index?: number }) {
    const open = encoders.get(id);
    if (index !== undefined) open?.indexes.delete(index);
    else if (encoders.delete(id)) await open?.encoder.dispose();
    return { result: undefined };
  },
  join: async (call: JoinCall) => ({ result: await join(call) }),
  dedupe: async (call: DedupeCall) => ({ result: await dedupe(call) }),
});

async function join(call: JoinCall): Promise<JoinResult> {
  const { left, right, options } = call;
  const { signal, onProgress } = runOf(call);
  const encoder = call.encoder === "none" ? call.encoder : opened(call.encoder).encoder;
  const run = { ...options, encoder, signal, onProgress };
  const { findings, matches, why } = await joinRows(left, right, run);
  const reasons = options.explain === "each" ? matches.map((pair) => ({ ...pair, why: why(pair) })) : matches;
  return { ...findings, matches: reasons, summary: precisionLine(findings) };
}

async function dedupe(call: DedupeCall): Promise<DedupeResult> {
  const { columns, options } = call;
  const { signal, onProgress } = runOf(call);
  const cells = Object.values(columns);
  const completeness = Int32Array.from(
    { length: rowsOf(columns) },
    (_, row) => cells.filter((column) => column[row].trim() !== "").length,
  );
  const { encoder } = opened(call.encoder);
  const run = { ...options, known: options.known ?? [], completeness, encoder, signal, onProgress };
  const { report, table, why } = await duplicatesByPlan(
    columns,
    planColumns(columns, undefined, options),
    run,
  );
  const { removed, kept } = removedRows(table, report.promise?.established === false ? "sure" : "all");
  const { estimate, low, high, promise } = report;
  if (promise === undefined) throw new Error("duplicates without a promise");
  const explained = (rows: typeof removed) =>
    options.explain === "each" ? rows.map((one) => ({ ...one, why: why(one) })) : rows;
  const groups = report.groups.map((group) => ({ ...group, others: explained([...group.others]) }));
  const summary = precisionLine({ estimate, low, high, promise });
  return { ...report, groups, kept, removed: explained(removed), summary };
}
