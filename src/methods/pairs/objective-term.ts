/** An objective and a view as the contrastive term of the training graph, in the place of NT-Xent's. */
import type { VectorLayout } from "../../architectures/architecture.js";
import type { Net } from "../../nn/net.js";
import type { ObjectiveSettings } from "../../objectives/objective.js";
import { type ObjectiveName, objectiveNamed } from "../../objectives/registry.js";
import { type LossTerm, lossNames } from "../../pearl/loss/program.js";
import { columnsOf } from "../../pearl/loss/rows.js";
import { type Feeds, float32, int32 } from "../../runtime/tensor.js";
import { type PunctuationSettings, punctuationTerm } from "./punctuation.js";
import { mixed, mixtureInput, mixtures, type PhraseView } from "./views.js";

/** An objective with all its settings. */
export interface ChosenObjective {
  readonly name: ObjectiveName;
  readonly settings: ObjectiveSettings;
}

/** Inputs of the graph: int32 [rows], and float32 [pairs]. */
export const classesInput = "classes";
export const scoresInput = "scores";

export interface TermOptions {
  readonly objective: ChosenObjective;
  readonly view?: PhraseView;
  readonly punctuation?: PunctuationSettings;
  readonly scores: "used" | "none";
  readonly negatives: "used" | "none";
  /** Width of the model's output, and which of its columns are the embedding. */
  readonly width: number;
  readonly layout?: VectorLayout;
}

/**
 * PEARL's terms with an objective in the place of NT-Xent, which stays PEARL's own unless a view changes its graph, and
 * the term of a view that has one.
 */
export const withObjective =
  (options: TermOptions) =>
  (terms: readonly LossTerm[]): readonly LossTerm[] => {
    const { objective, view, punctuation, layout } = options;
    const temperature = Number(objective.settings.temperature ?? 0.07);
    const further = punctuation?.weight ? [punctuationTerm(punctuation, { layout, temperature })] : [];
    if (objective.name === "nt-xent" && view !== "mixup") return [...terms, ...further];
    const own = terms.map((term) => (term.name === lossNames.contrastive ? objectiveTerm(options) : term));
    return [...own, ...further];
  };

function objectiveTerm({ objective, view, scores, negatives, width, layout }: TermOptions): LossTerm {
  const { name, settings } = objective;
  const { build, learns = [] } = objectiveNamed(name);
  const columns = layout?.embedding ?? "all";
  const pick = (net: Net, values: string) => columnsOf(net, values, [columns]);
  return {
    ...{ name: name.replaceAll("-", "_"), weight: 1 },
    add(net, rows) {
      const positives = pick(net, rows.positives);
      const batch = {
        anchors: pick(net, rows.anchors),
        positives: view === "mixup" ? mixed(net, positives) : positives,
        ...(negatives === "used" && rows.third && { negatives: pick(net, rows.third) }),
        classes: net.g.input(classesInput, "int32", ["rows"]),
        ...(scores === "used" && { scores: net.g.input(scoresInput, "float32", ["pairs"]) }),
        width: columns === "all" ? width : columns[1] - columns[0],
      };
      return build(net, batch, settings);
    },
    sample: { feeds: sampleFeeds(negatives) },
    ...(learns.length > 0 && {
      trained: ({ graph }) =>
        [...graph.initializers].flatMap(([weight, { type, data }]) =>
          type === "float32" && (data.length > 1 || learns.includes(weight)) ? [weight] : [],
        ),
    }),
  };
}

/** The inputs for the sample batch of three pairs, and two hard negatives where they are used. */
function sampleFeeds(negatives: "used" | "none"): Feeds {
  const classes = [0, 1, 1, 0, 1, 1, ...(negatives === "used" ? [2, 3] : [])];
  return {
    [classesInput]: int32(classes),
    [scoresInput]: float32([1, 0, 0.5]),
    [mixtureInput]: mixtures(3, 0),
  };
}
