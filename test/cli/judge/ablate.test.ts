/** `pearl ablate` as users call it wrongly; test/slow/ablate.test.ts has its trainings. */
import { expect, it } from "vitest";
import { pearl } from "../run-here.js";

it.each([
  [["--epochs", "2", "--steps", "3"], "'--steps <n>' cannot be used with option '--epochs <n>'"],
  [["--parts", "types,wheels"], 'unknown part "wheels"'],
  [["--grid", "temperature=0.03=1"], "It must be SETTING=VALUE,VALUE"],
  [["--grid", "wheels=4"], 'a grid cannot vary "wheels"'],
  [["--base", "a", "--base", "b", "--parts", "types"], "leave out --parts and --grid"],
  [["--types", "t.csv"], "--types gives types to pairs: add --pairs FILE"],
  [
    ["--base", "a", "--base", "b", "--set", "shape.hidden=8"],
    "--set shape.hidden=8 is for a transformer from scratch",
  ],
  [["--plot", "grid.svg"], "--plot draws a grid"],
])("refuses %j before it trains anything", async (words, message) => {
  const { code, stdout, stderr } = await pearl(["ablate", "--corpus", "c", "-o", "a", ...words]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});
