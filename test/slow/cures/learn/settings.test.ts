/** Messages of presets and settings files: each names a cure, which is applied and works. */
import { type Case, claimCures } from "../cases.js";

const text =
  "The New York Times was read in New York by the New York Times reader.\n" +
  "The old harbour of Bergen lies in the north of the old town, and the old harbour is deep.\n";
const makeCorpus = "pearl corpus build t.txt -o corpus --min-count 1 -q";
const base = "--base none --set shape.layers=0 --set characters.from=bag";
/** Without augmentation, which would read WordNet. */
const quick = "--set augmentation=none";
const onCorpus = `pearl train --corpus corpus -o model ${quick} --set hardNegatives=0 -q --threads 1 --steps 1`;

const settingsCase = (wrong: string, says: string, cured: string): Case => ({
  files: {},
  wrong,
  says,
  cured,
});

const cases: Readonly<Record<string, Case>> = {
  "a preset that is none": settingsCase(
    `${onCorpus} --preset from-scrach ${base}`,
    "is neither a preset (pearl-small, pearl-base, from-scratch",
    `${onCorpus} --preset from-scratch ${base}`,
  ),
  "a preset that is not YAML": settingsCase(
    `printf '{a: [' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
    'Write one setting per line, such as "epochs: 3".',
    `printf 'epochs: 3\n' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
  ),
  "a preset that holds no settings": settingsCase(
    `printf 'epochs\n' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
    'expected settings, one per line, such as "epochs: 3"',
    `printf 'epochs: 3\n' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
  ),
  "a setting that is none": settingsCase(
    `printf 'epoch: 3\n' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
    'unknown setting "epoch". Did you mean epochs?',
    `printf 'epochs: 3\n' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
  ),
  "a setting within a setting that is none": settingsCase(
    `printf 'partLosses: {phras: 1}\n' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
    'unknown setting "partLosses.phras". Did you mean partLosses.phrase?',
    `printf 'partLosses: {phrase: 1}\n' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
  ),
  "a setting without one of its parts": settingsCase(
    `printf 'contexts: {spans: 4}\n' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
    "the setting contexts.weight is missing. Give it",
    `printf 'contexts: {spans: 4, weight: 0.5}\n' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
  ),
  "a setting without a value": settingsCase(
    `${onCorpus} ${base} --set temperature`,
    "Write name=value, such as temperature=0.05.",
    `${onCorpus} ${base} --set temperature=0.05`,
  ),
  "a value that is not YAML": settingsCase(
    `${onCorpus} ${base} --set 'partLosses={phrase'`,
    "Write a number, a word, or settings such as {warmUp: 100}.",
    `${onCorpus} ${base} --set 'partLosses={phrase: 1, characters: 0.5}'`,
  ),
  "a mistyped name of a setting": settingsCase(
    `${onCorpus} ${base} --set temprature=0.05`,
    'unknown setting "temprature". Did you mean temperature?',
    `${onCorpus} ${base} --set temperature=0.05`,
  ),
  "a preset of a preset that is none": settingsCase(
    `printf 'preset: small\n' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
    "is not one of pearl-small, pearl-base, from-scratch",
    `printf 'preset: pearl-small\n' > mine.yaml; ${onCorpus} --preset mine.yaml ${base}`,
  ),
};

claimCures(cases, { files: { "t.txt": text }, before: makeCorpus });
