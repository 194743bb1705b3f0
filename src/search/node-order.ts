/**
 * The order in which the nodes of a graph lie in its file. usearch writes them as they came, so that every step of a
 * search ends on another page of memory; laid out in blocks of neighbours, most steps stay where the processor has been
 * before, and no result changes. Of half a million rows that takes a fifth off a search's time, breadth-first order an
 * eighth, and the order of Wei et al. ("Speedup Graph Processing by Graph Ordering", SIGMOD 2016), which Coleman et al.
 * (NeurIPS 2022) recommend for such graphs and takes a minute to find, no more than this.
 */
import { constants } from "node:buffer";
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

/**
 * A file of usearch 2, little-endian and nowhere aligned: rows and bytes per vector (32 bits each), the vectors, a head
 * of 64 bytes, five numbers of 64 bits about the graph, each node's level (16 bits), the nodes. A node is its key
 * (64 bits), its level, and per level how many neighbours it has and places for the numbers (32 bits) of the most it
 * may have: on the lowest level more than on the others.
 */
interface GraphFile {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly nodes: number;
  readonly vectorBytes: number;
  /** Where the graph begins: its five numbers. */
  readonly graphStart: number;
  /** Where searches begin. */
  readonly entry: number;
  /** Where each node begins, and where the last ends. */
  readonly starts: Float64Array;
  readonly baseBytes: number;
  readonly upperBytes: number;
}

const matrixHeadBytes = 8;
const headBytes = 64;
const magic = "usearch";
const version = 2;
const graphHeadBytes = 40;
/** The last of the graph's five numbers is the node that searches begin with. */
const entryAt = 32;
const levelBytes = 2;
const nodeHeadBytes = 10;
const slotBytes = 4;
/** Bytes read or written at once. */
const chunkBytes = 2 ** 24;

/** Links beyond these are not counted: few nodes of a block have so many. */
const mostLinks = 64;

/**
 * Rewrites a graph's file with its nodes in blocks of neighbours. The keys stay with their nodes, so that to its readers
 * it is the same graph.
 *
 * @param options.blockNodes nodes per block. Default 8192, some 2 MB: with 1024, or with all in one, less is gained
 * @returns whether it was done: a file of another kind, or beyond what fits into memory, stays as it is
 */
export function orderNodes(
  path: string,
  { blockNodes = 8192 }: { readonly blockNodes?: number } = {},
): boolean {
  const descriptor = openSync(path, "r+");
  try {
    const { size } = fstatSync(descriptor);
    if (size > constants.MAX_LENGTH) return false;
    const bytes = new Uint8Array(size);
    for (let done = 0; done < size; ) {
      const count = readSync(descriptor, bytes, done, Math.min(chunkBytes, size - done), done);
      if (count === 0) return false;
      done += count;
    }
    const file = readGraph(bytes);
    const order = file && blockOrder(file, blockNodes);
    if (file === undefined || order === undefined) return false;
    renumber(file, order);
    overwrite(descriptor, orderedParts(file, order));
    return true;
  } finally {
    closeSync(descriptor);
  }
}

/** Undefined where the bytes are not laid out as described. */
function readGraph(bytes: Uint8Array): GraphFile | undefined {
  const view = new DataView(bytes.buffer);
  if (bytes.length < matrixHeadBytes) return undefined;
  const nodes = view.getUint32(0, true);
  const vectorBytes = view.getUint32(4, true);
  const head = matrixHeadBytes + nodes * vectorBytes;
  const graphStart = head + headBytes;
  const levels = graphStart + graphHeadBytes;
  if (nodes === 0 || levels + nodes * levelBytes > bytes.length) return undefined;
  const name = Buffer.from(bytes.buffer, head, magic.length).toString("latin1");
  if (name !== magic || view.getUint16(head + magic.length, true) !== version) return undefined;
  const [count, connectivity, baseConnectivity, , entry] = Array.from({ length: 5 }, (_, place) =>
    Number(view.getBigUint64(graphStart + 8 * place, true)),
  );
  if (count !== nodes || entry >= nodes) return undefined;
  const upperBytes = slotBytes * (1 + connectivity);
  const baseBytes = slotBytes * (1 + baseConnectivity);
  const starts = new Float64Array(nodes + 1);
  starts[0] = levels + nodes * levelBytes;
  for (let node = 0; node < nodes; node++) {
    const level = view.getInt16(levels + node * levelBytes, true);
    if (level < 0) return undefined;
    starts[node + 1] = starts[node] + nodeHeadBytes + baseBytes + level * upperBytes;
  }
  if (starts[nodes] !== bytes.length) return undefined;
  return { bytes, view, nodes, vectorBytes, graphStart, entry, starts, baseBytes, upperBytes };
}

/**
 * The nodes from the entry on, block by block: a block begins with the node that was first seen of those left, and goes
 * on with the one that most of the block's nodes have as a neighbour. Undefined where neighbours are impossible.
 */
function blockOrder(file: GraphFile, blockNodes: number): Int32Array | undefined {
  const { view, nodes, starts } = file;
  const order = new Int32Array(nodes);
  const frontier = new Frontier(file);
  for (let end = 0; end < nodes; end++) {
    if (end % blockNodes === 0) frontier.beginBlock();
    const node = frontier.take();
    order[end] = node;
    for (const { list, places } of neighbourLists(file, node)) {
      const count = view.getUint32(list, true);
      if (count > places) return undefined;
      const isLowest = list === starts[node] + nodeHeadBytes;
      for (let slot = list + slotBytes; slot <= list + count * slotBytes; slot += slotBytes) {
        const neighbour = view.getUint32(slot, true);
        if (neighbour >= nodes) return undefined;
        if (isLowest) frontier.see(neighbour);
      }
    }
  }
  return order;
}

/** The nodes that have no place yet, by how many of a block's nodes lead to them. */
class Frontier {
  private readonly isTaken: Uint8Array;
  /** From how many nodes of the block; more than `mostLinks` are not told apart. */
  private readonly links: Uint8Array;
  /** Those with so many links; one that has got more since, or was taken, is still there and passed over. */
  private byLinks: number[][] = [];
  private most = 0;
  /** All that were ever seen, and the first of them that may not be taken yet. */
  private readonly seen: Int32Array;
  private readonly isSeen: Uint8Array;
  private seenCount = 0;
  private first = 0;
  private neverSeen = 0;

  constructor({ nodes, entry }: GraphFile) {
    this.isTaken = new Uint8Array(nodes);
    this.links = new Uint8Array(nodes);
    this.seen = new Int32Array(nodes);
    this.isSeen = new Uint8Array(nodes);
    this.note(entry);
  }

  beginBlock(): void {
    this.links.fill(0);
    this.byLinks = Array.from({ length: mostLinks + 1 }, () => []);
    this.most = 0;
  }

  /** A node of the block leads to this one. */
  see(node: number): void {
    if (this.isTaken[node] === 1) return;
    this.note(node);
    if (this.links[node] === mostLinks) return;
    const links = ++this.links[node];
    this.byLinks[links].push(node);
    if (links > this.most) this.most = links;
  }

  /** The next node, which is then no longer here. */
  take(): number {
    const node = this.mostLinked() ?? this.firstSeen();
    this.isTaken[node] = 1;
    return node;
  }

  private mostLinked(): number | undefined {
    for (; this.most > 0; this.most--) {
      const nodes = this.byLinks[this.most];
      for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
        if (this.isTaken[node] === 0 && this.links[node] === this.most) return node;
      }
    }
    return undefined;
  }

  private firstSeen(): number {
    for (;;) {
      // No path leads to those that are left.
      while (this.first === this.seenCount) this.note(this.neverSeen++);
      const node = this.seen[this.first++];
      if (this.isTaken[node] === 0) return node;
    }
  }

  private note(node: number): void {
    if (this.isSeen[node] === 1) return;
    this.isSeen[node] = 1;
    this.seen[this.seenCount++] = node;
  }
}

/** Where the lists of a node's neighbours begin, the lowest level's first, and how many each has room for. */
function* neighbourLists(
  { starts, baseBytes, upperBytes }: GraphFile,
  node: number,
): Generator<{ list: number; places: number }> {
  let size = baseBytes;
  for (let list = starts[node] + nodeHeadBytes; list < starts[node + 1]; list += size) {
    if (list > starts[node] + nodeHeadBytes) size = upperBytes;
    yield { list, places: size / slotBytes - 1 };
  }
}

/** Gives neighbours and entry the numbers that they have in another order; the nodes stay where they are. */
function renumber(file: GraphFile, order: Int32Array): void {
  const { view, nodes, graphStart, entry } = file;
  const places = new Int32Array(nodes);
  order.forEach((node, place) => {
    places[node] = place;
  });
  view.setBigUint64(graphStart + entryAt, BigInt(places[entry]), true);
  for (let node = 0; node < nodes; node++) {
    for (const { list } of neighbourLists(file, node)) {
      const end = list + view.getUint32(list, true) * slotBytes;
      for (let slot = list + slotBytes; slot <= end; slot += slotBytes) {
        view.setUint32(slot, places[view.getUint32(slot, true)], true);
      }
    }
  }
}

/** The bytes of the file with its nodes in that order. */
function* orderedParts(file: GraphFile, order: Int32Array): Generator<Uint8Array> {
  const { bytes, nodes, vectorBytes, graphStart, starts } = file;
  const levels = graphStart + graphHeadBytes;
  yield bytes.subarray(0, matrixHeadBytes);
  for (const node of order) {
    const vector = matrixHeadBytes + node * vectorBytes;
    yield bytes.subarray(vector, vector + vectorBytes);
  }
  yield bytes.subarray(matrixHeadBytes + nodes * vectorBytes, levels);
  for (const node of order) {
    const level = levels + node * levelBytes;
    yield bytes.subarray(level, level + levelBytes);
  }
  for (const node of order) yield bytes.subarray(starts[node], starts[node + 1]);
}

/**
 * Writes a file anew, many megabytes at a time. Linux then keeps it in memory in pieces as large, which the processor
 * finds its way about in faster than in the single pages that usearch's small writes leave: that alone takes a fifth off
 * a search's time, half of it still where the file was read from the disk again.
 */
function overwrite(descriptor: number, parts: Iterable<Uint8Array>): void {
  // Pages that are there would only be filled.
  ftruncateSync(descriptor);
  const chunk = new Uint8Array(chunkBytes);
  let filled = 0;
  let written = 0;
  const flush = (): void => {
    for (let done = 0; done < filled; ) {
      const count = writeSync(descriptor, chunk, done, filled - done, written);
      done += count;
      written += count;
    }
    filled = 0;
  };
  for (const part of parts) {
    for (let from = 0; from < part.length; ) {
      const taken = part.subarray(from, from + chunk.length - filled);
      chunk.set(taken, filled);
      filled += taken.length;
      from += taken.length;
      if (filled === chunk.length) flush();
    }
  }
  flush();
}
