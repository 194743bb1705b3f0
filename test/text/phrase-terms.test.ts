import { describe, expect, it } from "vitest";
import { phraseTerms, withUsualForm } from "../../src/text/phrase-terms.js";

const sorted = (phrase: string): number[] => [...phraseTerms(phrase)].sort((a, b) => a - b);

describe("phraseTerms", () => {
  it.each([
    ["Müller Elektrotechnik GmbH & Co. KG", "Müller Elektrotechnik"],
    ["Müller Elektrotechnik", "mueller elektrotechnik"],
    ["MÜLLER ELEKTROTECHNIK", "Muller Elektrotechnik"],
    ["Weiß UG (haftungsbeschränkt)", "Weiss"],
    ["Sørensen S.A. de C.V.", "Sorensen"],
    ["Łódź Sp. z o.o.", "lodz"],
    ["NYTimes", "NY Times"],
  ])("are the same of %s and %s", (phrase, other) => {
    expect(sorted(phrase)).toEqual(sorted(other));
    expect(sorted(phrase).length).toBeGreaterThan(2);
  });

  it("differ where a legal form stands alone or in front, and of other words", () => {
    expect(phraseTerms("Limited").size).toBeGreaterThan(0);
    expect(sorted("Limited Brands")).not.toEqual(sorted("Brands"));
    expect(sorted("Müller Elektronik")).not.toEqual(sorted("Müller Elektrotechnik"));
    expect(phraseTerms("").size).toBe(0);
    expect(new Set([...sorted("!!!"), ...sorted(" !!! ")]).size).toBe(1);
  });
});

it.each([
  ["Acme Incorporated", "Acme Inc."],
  ["Acme Inc", "Acme Inc."],
  ["Müller Ges. mit beschr. Haftung", "Müller GmbH"],
  ["Weiß Gesellschaft mit beschränkter Haftung", "Weiß GmbH"],
  ["Toyota Company Limited", "Toyota Co., Ltd."],
  ["Acme & Co", "Acme & Co."],
  ["Acme Co.,Ltd.", "Acme Co., Ltd."],
  ["Rossi SARL", "Rossi S.à r.l."],
  // letters that a search takes for others
  ["Sebastian Coe", "Sebastian Coe"],
  ["Kim Sae", "Kim Sae"],
  ["LIMITED", "LIMITED"],
  ["Limited Brands", "Limited Brands"],
  ["Acme", "Acme"],
  ["", ""],
])("the legal form of %s has its usual spelling", (text, usual) => {
  expect(withUsualForm(text)).toBe(usual);
});
