/** Values that are made once. */
import { expect, it } from "vitest";
import { mostRemembered, once, remembering } from "../../src/match/once.js";

it("makes a value once, undefined too", () => {
  let made = 0;
  const value = once(() => void made++);
  expect(value()).toBe(value());
  expect(made).toBe(1);
});

it("remembers the values asked for last, and makes others again", () => {
  const made: number[] = [];
  const value = remembering((number) => {
    made.push(number);
    return String(number);
  });
  const same = 5 + mostRemembered;
  expect([5, 6, 5, same, 6, same, 5].map(value)).toEqual([
    "5",
    "6",
    "5",
    String(same),
    "6",
    String(same),
    "5",
  ]);
  expect(made).toEqual([5, 6, same, 5]);
});
