/** Compares the stored rows of a generation with the checksums of its commits. */
import { open } from "node:fs/promises";
import { checksum, pieceBytes } from "../../files/checksums/checksum.js";
import { damaged } from "./disk.js";
import type { Commit } from "./journal.js";

/** The files of rows, in the order of a commit's sums. */
export const rowFiles = ["vectors", "cells", "places"] as const;

/**
 * Compares the part of a file that each commit added.
 * @param place of the file in `rowFiles`
 * @param endOf where a commit's part of the file ends
 * @throws VectorIndexError that names the file and the first part that differs
 */
export async function compareRows(
  path: string,
  commits: readonly Commit[],
  place: number,
  endOf: (commit: Commit) => number,
): Promise<void> {
  const file = await open(path, "r");
  try {
    const piece = Buffer.alloc(pieceBytes);
    let start = 0;
    for (const commit of commits) {
      if (commit.sums === undefined) continue;
      const end = endOf(commit);
      let found = checksum("");
      for (let at = start; at < end; ) {
        const { bytesRead } = await file.read(piece, 0, Math.min(pieceBytes, end - at), at);
        if (bytesRead === 0) throw damaged(path, `it ends at byte ${at}, before its last row`);
        found = checksum(piece.subarray(0, bytesRead), found);
        at += bytesRead;
      }
      if (found !== commit.sums[place])
        throw damaged(path, `the checksum of bytes ${start} to ${end} differs`);
      start = end;
    }
  } finally {
    await file.close();
  }
}
