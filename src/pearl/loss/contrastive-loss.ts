/** The contrastive loss (PEARL, section 3): NT-Xent over anchors, positives and hard negatives, of all columns or some. */
import type { Columns } from "../../architectures/architecture.js";
import { ntXent } from "../../nn/losses/nt-xent.js";
import type { Net } from "../../nn/net.js";
import { type BatchRows, columnsOf } from "./rows.js";

export interface ContrastOptions {
  readonly columns: readonly (Columns | "all")[];
  readonly temperature: number;
  readonly negatives: "used" | "none";
}

export function contrastiveLoss(net: Net, rows: BatchRows, options: ContrastOptions): string {
  const { columns, temperature, negatives } = options;
  const pick = (values: string) => columnsOf(net, values, columns);
  const pairs = { anchors: pick(rows.anchors), positives: pick(rows.positives) };
  const hardNegatives = negatives === "used" && rows.third ? pick(rows.third) : undefined;
  return ntXent(net, { ...pairs, hardNegatives, groups: rows.groups }, { temperature });
}
