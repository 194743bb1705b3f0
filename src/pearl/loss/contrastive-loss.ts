/** The contrastive loss (PEARL, section 3): NT-Xent over anchors, positives and hard negatives, of all columns or some. */
import type { Columns } from "../../architectures/architecture.js";
import { contrastBothWays } from "../../nn/losses/both-ways.js";
import { ntXent } from "../../nn/losses/nt-xent.js";
import type { Net } from "../../nn/net.js";
import { l2Normalise } from "../../nn/pooling.js";
import { type BatchRows, columnsOf, type Part, pairsOfPart } from "./rows.js";

export interface ContrastOptions {
  readonly columns: readonly (Columns | "all")[];
  readonly temperature: number;
  /** "all": every row with every other, as NT-Xent does; "between": anchors with positives alone. Default "all". */
  readonly compare?: "all" | "between";
  /** Compares only the pairs of this part. Default: all pairs, and hard negatives. */
  readonly part?: Part;
  readonly negatives: "used" | "none";
}

export function contrastiveLoss(net: Net, rows: BatchRows, options: ContrastOptions): string {
  const { columns, temperature, compare = "all", part, negatives } = options;
  const { anchors, positives, groups, hardNegatives } = part
    ? ofPart(net, rows, part)
    : { ...rows, hardNegatives: negatives === "used" ? rows.third : undefined };
  const pick = (values: string) => columnsOf(net, values, columns);
  const pairs = { anchors: pick(anchors), positives: pick(positives) };
  if (compare === "all")
    return ntXent(
      net,
      { ...pairs, hardNegatives: hardNegatives && pick(hardNegatives), groups },
      { temperature },
    );
  const sides = {
    anchors: l2Normalise(net, pairs.anchors),
    positives: l2Normalise(net, pairs.positives),
    groups: firstRows(net, groups, pairs.anchors),
  };
  return contrastBothWays(net, sides, 1 / temperature);
}

function ofPart(net: Net, rows: BatchRows, part: Part) {
  const { g } = net;
  const { picked, second } = pairsOfPart(net, rows, part);
  return {
    anchors: g.add("Gather", [rows.anchors, picked]),
    positives: g.add("Gather", [rows.positives, picked]),
    groups: g.add("Gather", [rows.groups, g.add("Concat", [picked, second], { axis: 0 })]),
    hardNegatives: undefined,
  };
}

/** The first rows of `values`, as many as `like` has. */
const firstRows = ({ g }: Net, values: string, like: string): string =>
  g.add("Slice", [values, g.ints(0), g.add("Shape", [like], { start: 0, end: 1 })]);
