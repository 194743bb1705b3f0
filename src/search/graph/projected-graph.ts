/** A graph along principal axes, which projects vectors on their way in. */
import { readFile } from "node:fs/promises";
import { VectorIndexError } from "../../errors.js";
import { writeWholeFile } from "../../files/whole-file.js";
import { type PrincipalAxes, project } from "../principal-axes.js";
import type { NeighbourGraph } from "./neighbour-graph.js";

/** A graph that takes whole vectors and passes on their coordinates. */
export function projectedGraph(graph: NeighbourGraph, axes: PrincipalAxes): NeighbourGraph {
  return {
    search: async (queries, width) => graph.search(await project(queries, axes), width),
    add: async (first, vectors) => graph.add(first, await project(vectors, axes)),
    save: (path) => graph.save(path),
  };
}

/** Writes axes to a file. When it returns they are on disk. */
export function saveAxes(path: string, { axes }: PrincipalAxes): Promise<void> {
  return writeWholeFile(path, new Uint8Array(axes.buffer, axes.byteOffset, axes.byteLength));
}

/**
 * Reads the axes of a graph.
 * @throws VectorIndexError where the file is not width × dimension finite numbers
 */
export async function readAxes(path: string, width: number, dimension: number): Promise<PrincipalAxes> {
  const bytes = await readFile(path);
  const axes = new Float32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 4));
  if (bytes.length !== width * dimension * 4 || !axes.every(Number.isFinite)) {
    throw new VectorIndexError(
      `${path} is damaged. Remove it and the graph beside it: the rows are safe, and the next addition rebuilds both.`,
    );
  }
  return { width, dimension, axes };
}
