/** PEARL-base: as PEARL-small (pearl-small.ts), on E5-base, with a character part of 288 (768 + 288 = 1,056). */
import type { MethodSettings } from "../method.js";
import { pearlSmall } from "./pearl-small.js";

export const pearlBase: MethodSettings = {
  ...pearlSmall,
  base: "intfloat/e5-base-v2",
  characters: { from: "love", width: 288 },
};
