/** PEARL's settings as its paper and published code have them, beside those of a training, and why they differ. */
import { type ResolvedSettings, resolveSettings } from "../../augmentation/settings.js";
import { pearlBase, pearlSmall } from "../../pearl/presets.js";
import { withNewCharacters } from "./choices.js";
import { type MethodSettings, presets } from "./method-settings.js";

/** The paper trains on 512 embeddings a step: each phrase and hard negative comes with its twin. */
const PAPER_BATCH = 512;
const embeddingsOf = ({ anchors, hardNegatives }: Pick<MethodSettings, "anchors" | "hardNegatives">) =>
  2 * anchors * (1 + hardNegatives);
const paperAnchors = Math.floor(PAPER_BATCH / embeddingsOf({ ...pearlSmall, anchors: 1 }));

const batchText = (phrases: number, embeddings: number) => `${phrases} (${embeddings} embeddings)`;
const paperBatch = batchText(paperAnchors, PAPER_BATCH);

const noBase = "there is no pretrained base";
const smallCpu = "a small encoder from scratch on a CPU";
type Reasons = Readonly<Record<string, string>>;

const ofPearl: Reasons = {
  "phrases in a batch": `5 is the published code's number with the character encoder; --set anchors=${paperAnchors} makes the paper's batch, 17 times as long a step`,
  "character encoder": "no pretrained one was found; pearl pretrain-characters --vectors FILE makes it",
};

const ofScratch: Reasons = {
  base: "no download, and trained within an hour on a CPU",
  "character encoder": "hashed n-grams are useful from the first step",
  "its dimensions": "more of a short vector's meaning is spelling",
  "phrases in a batch": "known synonyms fill the rest of the batch",
  "hard negatives of each": "synonyms that share a word are hard negatives of each other",
  augmentation: "where a rule does not apply, another is drawn, so that fewer twins stay unchanged",
  "factor of the type loss": "the losses of both parts of the vector are added",
  epochs: `${smallCpu} starts further from its goal`,
  "learning rate": `${smallCpu} takes larger steps than a pretrained one`,
  schedule: "larger steps need a warm-up, and a fall to near 0",
  "weight in the average": noBase,
  "synonym pairs in a batch": "known synonyms are closer to the use than twins by rules",
};

/** A setting: its name, its text, and its values in the paper where no preset holds them. */
type Row = readonly [name: string, text: (settings: MethodSettings) => string, paper?: string];

const rows: readonly Row[] = [
  ["base", ({ base }) => base],
  ["character encoder", ({ characters }) => (characters === "none" ? "none" : characters.from)],
  ["its dimensions", ({ characters }) => (characters === "none" ? "0" : `${characters.width ?? "its own"}`)],
  ["phrases in a batch", (settings) => batchText(settings.anchors, embeddingsOf(settings)), paperBatch],
  ["hard negatives of each", ({ hardNegatives }) => `${hardNegatives}`],
  ["synonym pairs in a batch", ({ synonyms }) => `${synonyms}`],
  ["augmentation", ({ augmentation: own }) => (own === "none" ? "none" : kinds(resolveSettings(own)))],
  ["phrase types", ({ types }) => types],
  ["factor of the type loss", ({ typeWeight }) => `${typeWeight}`],
  ["temperature", ({ temperature }) => `${temperature}`],
  ["dropout", ({ dropout }) => `${dropout}`],
  ["learning rate", ({ learningRate }) => `${learningRate}`],
  ["schedule", scheduleText],
  ["epochs", ({ epochs }) => `${epochs}`],
  ["weight in the average", ({ averageWithBase }) => `${averageWithBase}`],
];

/** Every setting that the paper states beside that of a training, in the order of the method; `because` where they differ. */
export function departures(settings: MethodSettings) {
  const paper = settings.base === pearlBase.base ? presets["pearl-base"] : presets["pearl-small"];
  const [preset, reasons] =
    settings.base === "none" ? [presets["from-scratch"], ofScratch] : [paper, ofPearl];
  return rows.map(([setting, text, stated]) => {
    const [said, here] = [stated ?? text(paper), text(settings)];
    if (said === here) return { setting, paper: said, here, because: undefined };
    // a preset takes a new character encoder where there is no pretrained one
    const isPreset = [preset, withNewCharacters(preset)].some((own) => here === text(own));
    const because = (isPreset ? reasons[setting] : undefined) ?? "set by an option or a settings file";
    return { setting, paper: said, here, because };
  });
}

const kinds = ({ probabilities }: ResolvedSettings): string =>
  Object.entries(probabilities)
    .map(([kind, probability]) => `${kind} ${probability}`)
    .join(", ");

function scheduleText({ schedule, warmUp }: MethodSettings): string {
  const { kind } = typeof schedule === "string" ? { kind: schedule } : schedule;
  const own =
    typeof schedule === "object" && schedule.kind === "exponential"
      ? `× ${schedule.factor} every ${schedule.every} steps`
      : kind.replaceAll("-", " ");
  return warmUp ? `${own}, warm-up ${warmUp}` : own;
}
