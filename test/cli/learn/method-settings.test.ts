/** Where the base cannot be fetched, only a preset's own is replaced by a training from scratch. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type MethodOptions, methodSettings } from "../../../src/cli/learn/training.js";
import { newFolder } from "../../setup/new-folder.js";

it("leaves alone a base that the user names, and the settings of a file", async () => {
  const otherwiseOf = async (options: object) => (await methodSettings(options as MethodOptions)).otherwise;
  expect(await otherwiseOf({})).toMatchObject({ base: "none", anchors: 96 });
  expect(await otherwiseOf({ preset: "pearl-base" })).toMatchObject({ base: "none", anchors: 96 });
  expect(await otherwiseOf({ base: "intfloat/e5-small-v2" })).toBeUndefined();
  const file = join(newFolder(), "mine.yaml");
  writeFileSync(file, "base: ./my-e5\nepochs: 3\n");
  expect(await otherwiseOf({ preset: file })).toBeUndefined();
});
