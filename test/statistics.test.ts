import { expect, it } from "vitest";
import { highest } from "../src/statistics.js";

it("the highest item is the first of equal ones; NaN is lower than any number", () => {
  expect(highest(["bb", "a", "cc"], ({ length }) => length)).toBe("bb");
  expect(highest([Number.NaN, -5, Number.NEGATIVE_INFINITY], (number) => number)).toBe(-5);
  expect(highest(["x", "y"], Number)).toBe("x");
  expect(() => highest([], () => 0)).toThrow(RangeError);
});
