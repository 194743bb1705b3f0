/** All architectures by the kind of feature they read: pearl's own, and those that a user registers. */
import { ArgumentError, ModelError } from "../errors.js";
import { bequeath, inherited } from "../runtime/thread.js";
import { architectures } from "./all.js";
import type {
  Architecture,
  Columns,
  CountedPhrases,
  Feature,
  Featurizer,
  ModelFolder,
  PartSettings,
  SharedGraph,
} from "./architecture.js";
import type { Conversion } from "./conversion.js";
import { embeddedNames } from "./embedded.js";
import type { SpellingEncoder } from "./pretraining.js";

/** The embedded model that is used when none is named. */
export const DEFAULT_MODEL: string = embeddedNames[0];

/** Key of the addresses of registered modules, in data that worker threads inherit. */
const MODULES = "pearl.architectures";
const imported = new Set<string>();

/**
 * Registers an architecture for this process and the workers it starts from now on.
 * @param module URL of a module whose default export is an {@link Architecture}, such as
 *   `new URL("./mean-of-words.mjs", import.meta.url)`. Each worker imports it, so it must do nothing else.
 * @throws ArgumentError for a module without one, or a kind that already exists
 */
export async function registerArchitecture(module: string | URL): Promise<void> {
  const address = String(module);
  await importArchitecture(address);
  const known = registered();
  if (!known.includes(address)) bequeath(MODULES, [...known, address]);
}

const registered = (): readonly string[] => (inherited(MODULES) as readonly string[] | undefined) ?? [];

async function importArchitecture(address: string): Promise<void> {
  if (imported.has(address)) return;
  const { default: found } = (await import(address)) as { default?: Architecture };
  const isWhole = typeof found?.inputs === "function" && typeof found.open === "function";
  if (!isWhole || typeof found.kind !== "string" || !Array.isArray(found.files))
    throw new ArgumentError(
      `${address}: the default export is not an architecture with kind, files, inputs() and open()`,
    );
  if (imported.has(address)) return;
  if (architectures.some(({ kind }) => kind === found.kind))
    throw new ArgumentError(
      `${address}: the architecture "${found.kind}" already exists. Choose another kind.`,
    );
  architectures.push(found);
  imported.add(address);
}

/** Imports what the thread that started this one registered. */
export async function inheritArchitectures(): Promise<void> {
  for (const address of registered()) await importArchitecture(address);
}

/** @throws ModelError for an unknown kind */
export function architectureOf({ kind }: Feature, label = "config.json"): Architecture {
  const found = architectures.find((own) => own.kind === kind);
  if (found) return found;
  throw new ModelError(`${label}: unknown feature kind "${kind}"; a newer pearl may know it`);
}

/** The architecture of a model that has only one. */
export const soleArchitecture = (features: readonly Feature[]): Architecture | undefined =>
  features.length === 1 ? architectureOf(features[0]) : undefined;

/** What config.json calls a model of these features that has no base. */
export function classNameOf([feature]: readonly Feature[]): string {
  const { kind, className } = architectureOf(feature);
  return (
    className ?? kind.replace(/(?:^|[^\p{L}\p{N}]+)(\p{L})/gu, (_, first: string) => first.toUpperCase())
  );
}

/** Index of the feature that costs most; its lengths decide how batches are cut. */
export function costliest(features: readonly Feature[]): number {
  const first = features.findIndex((feature) => architectureOf(feature).padsRows === true);
  return Math.max(0, first);
}

/** Files that the features of a model are read with; default of all architectures. */
export const filesOf = (features?: readonly Feature[]): string[] => [
  ...new Set(
    (features?.map((feature) => architectureOf(feature)) ?? architectures).flatMap(({ files }) => files),
  ),
];

/** The names of {@link newPart}. */
export const partNames = (): string[] => architectures.flatMap(({ parts = {} }) => Object.keys(parts));

/** A new part by name, or undefined where no architecture has one of that name. */
export async function newPart(settings: PartSettings, phrases: CountedPhrases) {
  for (const { parts } of architectures)
    if (parts && Object.hasOwn(parts, settings.from)) return parts[settings.from](settings, phrases);
  return undefined;
}

/** A pretrained folder as a part of another model. @throws ModelError where it cannot be one */
export async function readPart(folder: ModelFolder, settings: Pick<PartSettings, "width">) {
  const kinds = folder.features.map(({ kind }) => kind);
  for (const own of architectures) {
    const part = kinds.includes(own.kind) && (await own.readPart?.(folder, settings));
    if (part) return part;
  }
  throw new ModelError(
    `${folder.path} has no character encoder that pearl knows. Make one with: pearl pretrain-characters -o FOLDER`,
  );
}

/** The first architecture that has this entry. */
export function architectureWith<Key extends keyof Architecture>(key: Key) {
  const found = architectures.find((own) => own[key] !== undefined);
  if (found) return found as Architecture & Required<Pick<Architecture, Key>>;
  throw new ArgumentError(`no architecture has "${key}"`);
}

/** @param name default: the first one @throws ArgumentError for an unknown name */
export function spellingEncoder(name?: string): Promise<SpellingEncoder> {
  const all = architectures.flatMap(({ spelling = {} }) => Object.entries(spelling));
  const [, load] = all.find(([own]) => name === undefined || own === name) ?? [];
  if (load) return load();
  throw new ArgumentError(`no character encoder "${name}": use ${all.map(([own]) => own).join(", ")}`);
}

/** Columns of a model's embedding that say only how a phrase is spelled; empty where they are not known. */
export const spelledColumns = (folder: ModelFolder): readonly Columns[] =>
  soleArchitecture(folder.features)?.spelledColumns?.(folder) ?? [];

/** What converts published weights. */
export const conversions = (): Conversion[] => architectures.flatMap(({ convert }) => convert ?? []);

/**
 * The featurizers of a model folder, which together feed every input of its graph.
 * @throws ModelError for a missing or broken file, or an input that pearl does not know
 */
export async function openFeaturizers(
  folder: ModelFolder,
  inputNames: readonly string[],
  shared?: SharedGraph,
): Promise<Featurizer[]> {
  await inheritArchitectures();
  const fed = folder.features.flatMap((feature) => architectureOf(feature).inputs(feature, shared));
  const unknown = inputNames.filter((name) => !fed.includes(name));
  if (unknown.length > 0)
    throw new ModelError(
      `${folder.graph}: the graph asks for inputs that pearl does not know: ${unknown.join(", ")}. ` +
        `Known are ${fed.join(", ")}.`,
    );
  return Promise.all(
    folder.features.map((feature) => architectureOf(feature).open(feature, { folder, inputNames, shared })),
  );
}
