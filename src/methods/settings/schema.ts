/** What each setting of a training may be: names and values, also within settings. */
import * as v from "valibot";
import { resolveSettings, settingFiles, settingWords } from "../../augmentation/settings.js";
import { fileFingerprint } from "../../files/checksums/fingerprint.js";
import { nearestName } from "../../table/columns.js";
import { viewNames } from "../pairs/views.js";
import type { MethodSettings } from "./method-settings.js";

// The message of each schema says what is expected.
const number = (text: string, allows: (value: number) => boolean) =>
  v.custom<number>((value) => typeof value === "number" && Number.isFinite(value) && allows(value), text);
const positive = number("a number above 0", (value) => value > 0);
const amount = number("a number of at least 0", (value) => value >= 0);
const count = number("a whole number of at least 1", (value) => Number.isInteger(value) && value >= 1);
const whole = number("a whole number of at least 0", (value) => Number.isInteger(value) && value >= 0);
const fraction = number("a number between 0 and 1", (value) => value >= 0 && value <= 1);
const belowOne = number("a number of at least 0 and below 1", (value) => value >= 0 && value < 1);
const text = v.string("a text");
const word = <const Words extends readonly string[]>(words: Words) => v.picklist(words, words.join(" or "));
const object = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.strictObject(entries, Object.keys(entries).join(", "));
const bySource = <Value extends v.GenericSchema>(value: Value) =>
  v.record(v.string(), value, "settings by name");
const orWord = (own: string, schema: v.GenericSchema) =>
  v.lazy((input) => (typeof input === "string" ? v.literal(own, `${own}, or settings`) : schema));

/**
 * What the pairs of a run share. "rarest": their rarest common word; the other words tell them apart. "last": as many
 * last words as possible, as in a table of hospitals or of a team's seasons; the first words and the year tell them
 * apart. "first": the first word, as in "is accepted" and "is seen".
 */
export type RunKey = (typeof RUN_KEYS)[number];
export const RUN_KEYS = ["rarest", "last", "first"] as const;

const gate = number("a number above 0, at most 1", (value) => value > 0 && value <= 1);
const gates = { characters: gate, meaning: gate, types: gate };
/** The other settings, resolveSettings checks. */
const ofAugmentation: Readonly<Record<string, v.GenericSchema>> = {
  ...Object.fromEntries(Object.entries(settingWords).map(([name, words]) => [name, word(words)])),
  ...Object.fromEntries(settingFiles.map((name) => [name, v.array(text, "a list of files")])),
};
const augmentation = Object.fromEntries(
  Object.keys(resolveSettings()).map((name) => [name, v.optional(ofAugmentation[name] ?? v.any())]),
);
/** Schedules that their name describes. */
export const schedulesByName = ["constant", "linear", "cosine"] as const;
const schedules = {
  constant: { warmUp: v.optional(whole) },
  exponential: { factor: positive, every: count, warmUp: v.optional(whole) },
  "warm-up-cosine": { warmUp: whole, steps: count, floor: v.optional(amount) },
  "warm-up-linear": { warmUp: whole, steps: count, floor: v.optional(amount) },
  "warm-up-cosine-to-the-end": { warmUp: whole, floor: v.optional(amount) },
};
const schedule = v.lazy((input) => {
  if (typeof input === "string")
    return v.picklist(schedulesByName, `${schedulesByName.join(" or ")}, or settings`);
  const kind = Object(input).kind as keyof typeof schedules;
  return object({ kind: word(Object.keys(schedules)), ...schedules[kind] });
});

/** Settings of a training on a corpus and of one on pairs. */
const warmUp = number(
  "a whole number of steps, or a fraction of the run below 1",
  (value) => value >= 0 && (value < 1 || Number.isInteger(value)),
);
const updates = { warmUp: v.optional(warmUp), weightDecay: v.optional(amount) };

const settings = {
  base: text,
  shape: object({
    ...{ hidden: v.optional(count), layers: v.optional(whole), heads: v.optional(count) },
    ...{ vocabulary: v.optional(count), maximumLength: v.optional(count) },
  }),
  characters: orWord("none", object({ from: text, width: v.optional(count), buckets: v.optional(count) })),
  blocks: orWord("as-they-come", object({ phrase: positive, characters: positive })),
  partLosses: object({ phrase: amount, characters: amount }),
  types: word(["learned", "none"]),
  ...{ typeWeight: amount, anchors: whole, hardNegatives: whole, synonyms: amount, pairRows: amount },
  run: count,
  augmentPairs: v.lazy((input) => (typeof input === "object" ? bySource(fraction) : fraction)),
  augmentation: orWord("none", object(augmentation)),
  ...{ epochs: count, learningRate: positive, schedule, temperature: positive, dropout: belowOne },
  ...{ clipNorm: amount, averageWithBase: fraction, countPower: v.optional(fraction) },
  synonymShares: v.optional(bySource(amount)),
  synonymSides: v.optional(bySource(word(["characters", "phrase", "both"]))),
  hardGroupBy: v.optional(bySource(word(RUN_KEYS))),
  prefixLoss: v.optional(amount),
  contexts: v.optional(object({ spans: count, weight: amount })),
  meanShares: v.optional(object({ ...gates, meanings: v.optional(object(gates)), weight: amount })),
  furtherContrast: v.optional(word(["all", "between"])),
  rateFactors: v.optional(bySource(amount)),
  ...updates,
} satisfies Record<keyof MethodSettings, v.GenericSchema>;

/** Options of `finetune` that are settings of its training. */
const pairSettings = {
  ...{ epochs: count, batchSize: count, learningRate: positive, schedule, temperature: positive },
  ...{ ...updates, dropout: belowOne, clipNorm: amount, averageWithBase: fraction, types: text },
  ...{ view: word(viewNames), objectiveSettings: v.record(v.string(), v.union([v.number(), text])) },
  punctuation: v.partial(object({ weight: amount, least: count, most: count, marks: word(["all", "calm"]) })),
};

const schemas = { corpus: object(settings), pairs: v.partial(object(pairSettings)) };

/** What is wrong with the settings of a training, in words with the cure; undefined if nothing is. */
export function settingsFault(given: unknown, of: keyof typeof schemas = "corpus"): string | undefined {
  const { issues } = v.safeParse(schemas[of], given, { abortEarly: true });
  if (issues === undefined) return undefined;
  const [issue] = issues;
  const path = v.getDotPath(issue) ?? "";
  if (issue.expected === "never") {
    const [name, ...outer] = path.split(".").reverse();
    const near = nearestName(issue.message.split(", "), name);
    const cure = near ? `Did you mean ${[...outer.reverse(), near].join(".")}?` : `Use ${issue.message}`;
    return `unknown setting "${path}". ${cure}`;
  }
  if (issue.input === undefined) return `the setting ${path} is missing. Give it`;
  const must = issue.type === "strict_object" ? "must have" : "must be";
  const found = typeof issue.input === "number" ? issue.input : JSON.stringify(issue.input);
  return `the setting ${path} ${must} ${issue.message}, not ${found}`;
}

// Settings by the contents of their files: changed files are noticed, and moved ones are the same.

/** The fingerprint of a file; what names none stays as it is. @throws TableError */
export const contentOf = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined || path === "none" ? path : fileFingerprint(path);

/** The settings with fingerprints in the place of the paths of augmentation files. @throws TableError */
export async function withContents<Settings extends Pick<MethodSettings, "augmentation">>(
  settings: Settings,
): Promise<Settings> {
  const { augmentation } = settings;
  if (augmentation === "none") return settings;
  const prints = await Promise.all(
    settingFiles.map(async (name) => {
      return [name, augmentation[name] && (await Promise.all(augmentation[name].map(fileFingerprint)))];
    }),
  );
  return { ...settings, augmentation: { ...augmentation, ...Object.fromEntries(prints) } };
}
