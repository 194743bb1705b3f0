/** What tests of augmentation share: files in a folder of the test run, and an augmenter that is quick to make. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAugmenter } from "../../src/augmentation/augmenter.js";
import type { AugmentationSettings } from "../../src/augmentation/settings.js";

/** A folder for the test files of one process. */
export const folder = mkdtempSync(join(tmpdir(), "pearl-augment-"));

/** Writes a file into the folder. @returns its path */
export function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Without WordNet, which takes a second to read. */
export function quickAugmenter(settings: AugmentationSettings = {}) {
  return createAugmenter({ wordNet: "off", ...settings });
}
