/** Compares the stored rows of a generation with the checksums of its commits. */
import { open } from "node:fs/promises";
import { checksum, pieceBytes } from "../../files/checksum.js";
import { openFingerprint } from "../../files/fingerprint.js";
import { damaged } from "./disk.js";
import type { Commit } from "./journal.js";

/** The files of rows, in the order of a commit's sums. */
export const rowFiles = ["vectors", "cells", "places"] as const;

/** The part of a file that one commit added. */
interface Segment {
  readonly end: number;
  /** Absent where an earlier version wrote none. */
  readonly sum?: string;
}

/** @param bytesOf where a commit's part of the file ends */
export function segmentsOf(
  commits: readonly Commit[],
  place: number,
  bytesOf: (commit: Commit) => number,
): Segment[] {
  return commits
    .filter(({ sums }) => sums !== undefined)
    .map((commit) => ({ end: bytesOf(commit), sum: commit.sums![place] }));
}

/** @throws VectorIndexError that names the file and the first part that differs */
export async function compareSegments(path: string, segments: readonly Segment[]): Promise<void> {
  const file = await open(path, "r");
  try {
    const piece = Buffer.alloc(pieceBytes);
    let start = 0;
    for (const { end, sum } of segments) {
      const found = openSum(sum);
      for (let at = start; at < end; ) {
        const { bytesRead } = await file.read(piece, 0, Math.min(pieceBytes, end - at), at);
        if (bytesRead === 0) throw damaged(path, `it ends at byte ${at}, before its last row`);
        found.add(piece.subarray(0, bytesRead));
        at += bytesRead;
      }
      if (sum !== undefined && found.end() !== sum)
        throw damaged(path, `the checksum of bytes ${start} to ${end} differs`);
      start = end;
    }
  } finally {
    await file.close();
  }
}

/** Earlier versions wrote fingerprints, which have twice the digits. */
function openSum(like = "") {
  if (like.length === 16) return openFingerprint();
  let sum = checksum("");
  const add = (part: Uint8Array): void => {
    sum = checksum(part, sum);
  };
  return { add, end: () => sum };
}
