/** Settings by the contents of their files: changed files are noticed, and moved ones are the same. */
import { settingFiles } from "../../augmentation/settings.js";
import { fileFingerprint } from "../../files/checksums/fingerprint.js";
import type { MethodSettings } from "./method-settings.js";

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
