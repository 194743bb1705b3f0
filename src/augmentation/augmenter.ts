/** The augmenter: draws a twin of a phrase by the probabilities, or lists what every rule makes of it. */
import type { PhraseContext } from "../pearl/augmentation/rule.js";
import { createRandom, type Random } from "../random.js";
import { createRules } from "./create-rules.js";
import type { Rule, RuleName, Twin } from "./named-rule.js";
import { type AugmentationSettings, type ResolvedSettings, resolveSettings, rulesOf } from "./settings.js";

/** Makes twins of phrases, synchronously. */
export interface Augmenter {
  readonly settings: ResolvedSettings;
  /** The rules whose resources are available, in order. */
  readonly rules: readonly RuleName[];
  /**
   * One twin, its kind (or kinds, see `AugmentationSettings.combine`) drawn by the probabilities; the phrase itself with
   * rule "unchanged" where nothing applies. The same phrase and state of `random` give the same twin.
   */
  augment(phrase: string, random: Random, context?: PhraseContext): Twin;
  /**
   * The outcomes of every rule, including those with probability 0, without the unchanged phrase.
   * @param options `count`: the most outcomes of each rule, default 3; `random`: for the rules that draw, default seed 1
   */
  all(
    phrase: string,
    options?: PhraseContext & { readonly count?: number; readonly random?: Random },
  ): Twin[];
}

/** A kind of augmentation, by any of its rules that apply. */
interface Choice {
  readonly weight: number;
  readonly rules: readonly Rule[];
}

/**
 * Reads the resources (WordNet, files) and makes an augmenter.
 *
 * @example
 * const augmenter = await createAugmenter({ preset: "pearl" });
 * augmenter.augment("The New York Times", createRandom(7)).text;
 * @throws ArgumentError for wrong settings, TableError for a bad file, MissingDataError for a missing package
 */
export async function createAugmenter(settings: AugmentationSettings = {}): Promise<Augmenter> {
  const resolved = resolveSettings(settings);
  const rules = await createRules(resolved);
  const choices = choicesOf(resolved, new Map(rules.map((rule) => [rule.name, rule])));
  const redraws = resolved.whenNothingApplies === "redraw";
  const drawTwin = resolved.combine === "each" ? drawEach(choices, redraws) : drawOne(choices, redraws);
  return {
    settings: resolved,
    rules: rules.map((rule) => rule.name),
    augment: (phrase, random, context = {}) =>
      drawTwin(phrase, random, context) ?? { text: phrase, rule: "unchanged", granularity: "none" },
    all: (phrase, { count = 3, random = createRandom(1), ...context } = {}) =>
      rules
        .filter(changes)
        .flatMap(({ name: rule, granularity, outcomes }) =>
          outcomes(phrase, count, random, context).map((text) => ({ text, rule, granularity })),
        ),
  };
}

function choicesOf({ probabilities }: ResolvedSettings, byName: ReadonlyMap<RuleName, Rule>): Choice[] {
  return Object.entries(probabilities)
    .filter(([, weight]) => weight > 0)
    .map(([name, weight]) => ({ weight, rules: rulesOf(name)!.flatMap((rule) => byName.get(rule) ?? []) }));
}

const changes = ({ granularity }: Rule): boolean => granularity !== "none";

type DrawTwin = (phrase: string, random: Random, context: PhraseContext) => Twin | undefined;

const drawOne =
  (choices: readonly Choice[], redraws: boolean): DrawTwin =>
  (phrase, random, context) => {
    for (let open = choices; open.length > 0; ) {
      const choice = weighted(open, random);
      const twin = drawFromAny(choice.rules, phrase, random, context);
      if (twin !== undefined || !redraws) return twin;
      // "unchanged" and "dropout" are drawn by their own probability, so they are not a fallback.
      open = open.filter((other) => other !== choice && other.rules.some(changes));
    }
    return undefined;
  };

/**
 * Each kind draws by its own probability and edits the text of those before it; "unchanged" and "dropout" undo all.
 * While nothing has changed, all draw again up to three times.
 */
const drawEach =
  (choices: readonly Choice[], redraws: boolean): DrawTwin =>
  (phrase, random, context) => {
    for (let left = redraws ? 3 : 0; left >= 0; left--) {
      const made: Twin[] = [];
      let text = phrase;
      for (const choice of choices) {
        if (random() >= choice.weight) continue;
        const twin = drawFromAny(choice.rules, text, random, context);
        if (twin === undefined) continue;
        if (twin.granularity === "none") return { ...twin, text: phrase };
        made.push(twin);
        text = twin.text;
      }
      if (text !== phrase) return combined(text, made);
    }
    return undefined;
  };

function combined(text: string, made: readonly Twin[]): Twin {
  const [{ rule, granularity }, ...rest] = made;
  if (rest.length === 0) return { text, rule, granularity };
  const coarsestFirst = ["phrase", "token", "character"] as const;
  const coarsest = coarsestFirst.find((one) => made.some((twin) => twin.granularity === one))!;
  return { text, rule, granularity: coarsest, further: rest.map((twin) => twin.rule) };
}

function weighted(choices: readonly Choice[], random: Random): Choice {
  let rest = random() * choices.reduce((sum, { weight }) => sum + weight, 0);
  for (const choice of choices) {
    rest -= choice.weight;
    if (rest < 0) return choice;
  }
  return choices[choices.length - 1];
}

function drawFromAny(
  rules: readonly Rule[],
  phrase: string,
  random: Random,
  context: PhraseContext,
): Twin | undefined {
  const order = [...rules];
  for (let left = order.length; left > 0; left--) {
    const place = left === 1 ? 0 : Math.floor(random() * left);
    const rule = order[place];
    const text = rule.draw(phrase, random, context);
    if (text !== undefined) return { text, rule: rule.name, granularity: rule.granularity };
    order[place] = order[left - 1];
  }
  return undefined;
}
