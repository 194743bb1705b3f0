/** The pretrained LOVE that PEARL's presets start from: `pearl pretrain-characters --vectors FILE` makes it. */
import { homedir } from "node:os";
import { join } from "node:path";
import { exists } from "../../files/whole-file.js";
import type { RunOptions } from "../../training/run.js";
import type { MethodSettings } from "../settings/method-settings.js";

/** As settings name it. */
export const PRETRAINED_LOVE = "pretrained-love";

/** A folder of pearl's cache: $XDG_CACHE_HOME or ~/.cache, then pearl and the name. */
export const cacheFolder = (name: string): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pearl", name);

export const pretrainedLoveFolder = (): string => cacheFolder("love");

/** The settings as they are, or with an untrained LOVE and a note where there is no pretrained one. */
export async function withAvailableLove(
  settings: MethodSettings,
  { onNote }: Pick<RunOptions, "onNote">,
): Promise<MethodSettings> {
  const { characters } = settings;
  if (characters === "none" || characters.from !== PRETRAINED_LOVE) return settings;
  const folder = pretrainedLoveFolder();
  const isThere = await exists(join(folder, "config.json"));
  onNote?.(
    isThere
      ? `character encoder: pretrained, from ${folder}`
      : `character encoder: untrained, since ${folder} does not exist; pearl pretrain-characters --vectors FILE makes it`,
  );
  return isThere ? settings : { ...settings, characters: { ...characters, from: "love" } };
}
