/** Pretrained character encoders that presets start from: `pearl pretrain-characters --vectors FILE` makes one. */
import { join } from "node:path";
import { cachePath } from "../../files/package.js";
import { exists } from "../../files/whole-file.js";
import type { RunOptions } from "../../training/run.js";
import type { MethodSettings } from "../settings/method-settings.js";

const prefix = "pretrained-";

/** The settings with a new character encoder in the place of a pretrained one. */
export function withNewCharacters(settings: MethodSettings): MethodSettings {
  const { characters } = settings;
  if (characters === "none" || !characters.from.startsWith(prefix)) return settings;
  return { ...settings, characters: { ...characters, from: characters.from.slice(prefix.length) } };
}

/** The folder of a name such as "pretrained-love"; other names are folders already. */
export const charactersFolder = (from: string): string =>
  from.startsWith(prefix) ? cachePath(from.slice(prefix.length)) : from;

/** The settings as they are, or with an untrained encoder and a note where there is no pretrained one. */
export async function withAvailableCharacters(
  settings: MethodSettings,
  { onNote }: Pick<RunOptions, "onNote">,
): Promise<MethodSettings> {
  const untrained = withNewCharacters(settings);
  if (untrained === settings || settings.characters === "none") return settings;
  const folder = charactersFolder(settings.characters.from);
  const isThere = await exists(join(folder, "config.json"));
  onNote?.(
    isThere
      ? `character encoder: pretrained, from ${folder}`
      : `character encoder: untrained, since ${folder} does not exist; pearl pretrain-characters --vectors FILE makes it`,
  );
  return isThere ? settings : untrained;
}
