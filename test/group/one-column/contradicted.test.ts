/** Rows that are equal in one column, and what the rest of the table says. */
import { describe, expect, it } from "vitest";
import { contradictions } from "../../../src/group/one-column/contradicted.js";

const people = {
  surname: ["Smith", "Smith", "Smith", "Smith", "Moss", "Moss"],
  first: ["Ann", "Ann Mary", "Otto", "", "Eve", "Rob"],
  city: ["Leeds", "leeds", "York", "York", "Bath", "Hull"],
  email: ["ann@x.org", "ann@x.org", "otto@y.org", "", "", ""],
  // numbering tells nothing
  id: ["1", "2", "3", "4", "5", "6"],
};

describe("rows with the same surname", () => {
  const differ = contradictions(people, "surname", [{ left: 4, right: 5, match: true }]);

  it("are two things where most other columns differ", () => {
    expect(differ(0, 2)).toBe(true);
    expect(differ(0, 1)).toBe(false);
  });

  it("are believed where fewer than two other columns are filled, or a person confirmed them", () => {
    expect(differ(0, 3)).toBe(false);
    expect(differ(4, 5)).toBe(false);
    expect(contradictions(people, "surname", [])(4, 5)).toBe(true);
  });

  it("are believed in a table with one other column", () => {
    const { surname, city } = people;
    expect(contradictions({ surname, city }, "surname", [])(0, 2)).toBe(false);
  });
});
