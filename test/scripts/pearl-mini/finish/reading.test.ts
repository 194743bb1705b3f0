/** How a model reads unknown words, as set in config.json. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { PhraseEncoder } from "../../../../src/index.js";
import { testFolder } from "../../../table/folder.js";
import { smallWordModel } from "./small-word-model.js";

const script = new URL("../../../../scripts/pearl-mini/finish/reading.mjs", import.meta.url).href;
const { setReading } = (await import(script)) as {
  setReading: (folder: string, reading: { innerCapitals: "kept" | "parted" }) => void;
};
const { path } = testFolder();

it("makes a model split unknown words at inner capitals", async () => {
  const folder = await smallWordModel(join(path, "parted"), 3);
  const cosines = async () => {
    const encoder = await PhraseEncoder.load(folder);
    const [[cosine]] = await encoder.similarity(["XYZzyxx"], ["XY Zzyxx"]);
    await encoder.dispose();
    return cosine;
  };
  expect(await cosines()).toBeLessThan(0.999);
  setReading(folder, { innerCapitals: "parted" });
  expect(await cosines()).toBeCloseTo(1, 6);
});
