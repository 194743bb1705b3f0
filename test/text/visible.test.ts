import { expect, it } from "vitest";
import { isVisible } from "../../src/text/visible.js";

it("finds no visible character in white space, controls and characters that show nothing", () => {
  const none = [
    "",
    " \t\n",
    "\u00a0\u3000",
    "\u200b",
    "\u00ad",
    "\u0001",
    "\ufeff\u2060",
    "\ufe0f",
    "\u3164",
  ];
  expect(none.filter(isVisible)).toEqual([]);
});

it("finds one in any letter, mark, sign, and code point of private use", () => {
  const some = ["a", "\u200bé\u200b", "🦪", "ی", "\u0301", ".", "\ud800", "\ue000", "\u{10ffff}".slice(0, 1)];
  expect(some.filter((text) => !isVisible(text))).toEqual([]);
});
