/** The augmenter: draws one twin of a phrase by the probabilities, or lists what every rule makes of it. */
import { createRandom, type Random } from "../../random.js";
import { createRules } from "./create-rules.js";
import {
  drawFrom,
  type Granularity,
  outcomesOf,
  type PhraseContext,
  type Rule,
  type RuleName,
  type Twin,
} from "./rule.js";
import { type AugmentationSettings, type ResolvedSettings, resolveSettings, rulesOf } from "./settings.js";

/** Options of `Augmenter.all`. */
export interface AllOptions extends PhraseContext {
  /** For the rules that draw. Default: seed 1. */
  readonly random?: Random;
  /** Different outcomes of a rule at most. Default 3. */
  readonly count?: number;
}

/** Makes twins of phrases. Synchronous and fast once it is made. */
export interface Augmenter {
  readonly settings: ResolvedSettings;
  /** The rules that have what they need, in order. */
  readonly rules: readonly RuleName[];
  /**
   * One twin, its kind drawn by the probabilities, or its kinds where each draws; the phrase itself with rule
   * "unchanged" where nothing applies.
   * The same phrase and state of `random` give the same twin.
   */
  augment(phrase: string, random: Random, context?: PhraseContext): Twin;
  /** The outcomes of every rule, also of those with probability 0, without the unchanged phrase. */
  all(phrase: string, options?: AllOptions): Twin[];
}

/** A kind that is drawn: the rules among which one that applies is taken. */
interface Choice {
  readonly weight: number;
  readonly rules: readonly Rule[];
  /** False for "unchanged" and "dropout", which always apply. */
  readonly changes: boolean;
}

const noContext: PhraseContext = {};

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
  const byName = new Map(rules.map((rule) => [rule.name, rule]));
  const choices = choicesOf(resolved, byName);
  const redraws = resolved.whenNothingApplies === "redraw";
  const drawTwin = resolved.combine === "each" ? drawEach : drawOne;
  return {
    settings: resolved,
    rules: rules.map((rule) => rule.name),
    augment: (phrase, random, context = noContext) => drawTwin(phrase, random, context, choices, redraws),
    all: (phrase, options) => listAll(phrase, rules, options),
  };
}

/** The kinds of positive probability; a rule that lacks its resource never applies. */
function choicesOf({ probabilities }: ResolvedSettings, byName: ReadonlyMap<RuleName, Rule>): Choice[] {
  return Object.entries(probabilities)
    .filter(([, weight]) => weight > 0)
    .map(([name, weight]) => {
      const rules = rulesOf(name)!.flatMap((rule) => byName.get(rule) ?? []);
      return { weight, rules, changes: rules.some((rule) => rule.granularity !== "none") };
    });
}

function drawOne(
  phrase: string,
  random: Random,
  context: PhraseContext,
  choices: readonly Choice[],
  redraws: boolean,
): Twin {
  let open = choices;
  while (open.length > 0) {
    const choice = weighted(open, random);
    const twin = drawFromAny(choice.rules, phrase, random, context);
    if (twin !== undefined) return twin;
    if (!redraws) break;
    // What leaves the phrase as it is has had its chance: it gets no more than its own share.
    open = open.filter((other) => other !== choice && other.changes);
  }
  return unchanged(phrase);
}

/** Times that all kinds draw while nothing has changed, where they draw again. */
const redrawsAtMost = 3;

/** Each kind by its own chance, over what those before it made; "unchanged" and "dropout" undo them all. */
function drawEach(
  phrase: string,
  random: Random,
  context: PhraseContext,
  choices: readonly Choice[],
  redraws: boolean,
): Twin {
  for (let left = redraws ? redrawsAtMost : 0; left >= 0; left--) {
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
  return unchanged(phrase);
}

function combined(text: string, made: readonly Twin[]): Twin {
  const [{ rule, granularity }, ...rest] = made;
  if (rest.length === 0) return { text, rule, granularity };
  const coarsest = coarsestFirst.find((one) => made.some((twin) => twin.granularity === one))!;
  return { text, rule, granularity: coarsest, further: rest.map((twin) => twin.rule) };
}

const coarsestFirst: readonly Granularity[] = ["phrase", "token", "character"];

function unchanged(phrase: string): Twin {
  return { text: phrase, rule: "unchanged", granularity: "none" };
}

function weighted(choices: readonly Choice[], random: Random): Choice {
  let sum = 0;
  for (const choice of choices) sum += choice.weight;
  let rest = random() * sum;
  for (const choice of choices) {
    rest -= choice.weight;
    if (rest < 0) return choice;
  }
  return choices[choices.length - 1];
}

/** A twin by a rule that applies, each of those with the same chance. */
function drawFromAny(
  rules: readonly Rule[],
  phrase: string,
  random: Random,
  context: PhraseContext,
): Twin | undefined {
  const order = rules.length > 1 ? [...rules] : rules;
  for (let left = order.length; left > 0; left--) {
    const place = left === 1 ? 0 : Math.floor(random() * left);
    const rule = order[place];
    const text = drawFrom(rule, phrase, random, context);
    if (text !== undefined) return { text, rule: rule.name, granularity: rule.granularity };
    if (left > 1) (order as Rule[])[place] = order[left - 1];
  }
  return undefined;
}

function listAll(phrase: string, rules: readonly Rule[], options: AllOptions = {}): Twin[] {
  const { count = 3, random = createRandom(1), ...context } = options;
  const twins: Twin[] = [];
  for (const rule of rules) {
    if (rule.name === "unchanged" || rule.name === "dropout") continue;
    for (const text of "draw" in rule
      ? drawSome(rule, phrase, random, count, context)
      : outcomesOf(rule, phrase, context)) {
      if (twins.filter((twin) => twin.rule === rule.name).length === count) break;
      twins.push({ text, rule: rule.name, granularity: rule.granularity });
    }
  }
  return twins;
}

/** Up to `count` different outcomes of a rule that draws; a short phrase may have fewer. */
function drawSome(
  rule: Rule,
  phrase: string,
  random: Random,
  count: number,
  context: PhraseContext,
): Set<string> {
  const texts = new Set<string>();
  for (let attempt = 0; attempt < 4 * count && texts.size < count; attempt++) {
    const text = drawFrom(rule, phrase, random, context);
    if (text === undefined) break;
    texts.add(text);
  }
  return texts;
}
