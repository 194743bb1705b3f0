/** What tests of augmentation share: files in a folder that goes afterwards, and an augmenter that is quick to make. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { createAugmenter } from "../../src/augmentation/augmenter.js";
import type { AugmentationSettings } from "../../src/augmentation/settings.js";

/** A folder for the test file that imports this. */
export const folder = mkdtempSync(join(tmpdir(), "pearl-augment-"));

afterAll(() => rmSync(folder, { recursive: true }));

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
