import { expect, it } from "vitest";
import { partsOfRule, readSurvivor } from "../../src/group/survivor-rules.js";

it.each([
  ["phone=first", ["phone", "first"]],
  ["phone=newest:updated", ["phone", "newest:updated"]],
  ["phone=source:system=crm>web", ["phone", "source:system=crm>web"]],
  ["a=b=first", ["a=b", "first"]],
  ["a\\=first=longest", ["a=first", "longest"]],
  ["phone=latest", undefined],
  ["phone=newest:", undefined],
  ["phone=source:system", undefined],
  ["phone=source:system=crm>", undefined],
  ["phone=source:system=>crm", undefined],
  ["phone=source:system=crm> >web", undefined],
  ["=first", undefined],
  ["phone", undefined],
])("%s is %j", (text, survivor) => {
  expect(readSurvivor(text)).toEqual(survivor);
});

it("a rule has parts: a column that decides, and its values in order", () => {
  expect(partsOfRule("union")).toEqual({ name: "union", by: "", order: [] });
  expect(partsOfRule("newest:a=b")).toEqual({ name: "newest", by: "a=b", order: [] });
  expect(partsOfRule("source:from=crm>a=b>web")).toEqual({
    ...{ name: "source", by: "from", order: ["crm", "a=b", "web"] },
  });
  expect(partsOfRule("source:a\\=b=x")).toEqual({ name: "source", by: "a=b", order: ["x"] });
});
