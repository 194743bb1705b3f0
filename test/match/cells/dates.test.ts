import { expect, it } from "vitest";
import { momentOf } from "../../../src/match/cells/dates.js";

/** The oracle reads ISO 8601 itself. */
it.each([
  "2024-01-05",
  "2024-01-05T10:22Z",
  "2024-01-05T10:22:31.250Z",
  "2024-01-05T10:22:31+02:00",
  "2024-01-05T10:22:31-05:30",
  "2024-02-29T23:59:59-00:45",
])("%s is the moment that Date finds", (text) => {
  expect(momentOf(text)).toBe(Date.parse(text));
});

it.each<[string, string]>([
  ["2024-01-05 10:22", "2024-01-05T10:22Z"],
  ["1/5/2024 1:07 PM", "2024-01-05T13:07Z"],
  ["1/5/2024 12:07 am", "2024-01-05T00:07Z"],
  ["05.01.2024 12:07:30 pm", "2024-01-05T12:07:30Z"],
  ["2024-01-05T10:22:31+0200", "2024-01-05T08:22:31Z"],
  ["2024-01-05 10:22:31 +02", "2024-01-05T08:22:31Z"],
  ["5. Januar 2024", "2024-01-05"],
])("%s is %s", (text, same) => {
  expect(momentOf(text)).toBe(Date.parse(same));
});

it("reads the order of day and month as the column shows it, and no text that is not a date", () => {
  expect(momentOf("5/1/2024", true)).toBe(Date.parse("2024-01-05"));
  expect(momentOf("10:22")).toBeNaN();
  expect(momentOf("soon")).toBeNaN();
});
