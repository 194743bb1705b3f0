/** Two notations of one telephone number have the same digits. */
import { describe, expect, it } from "vitest";
import { phoneCountry, phoneDigits } from "../../../src/match/cells/phones.js";

describe("the digits of a telephone number", () => {
  it.each([
    ["+48 616 349 895", "0048616349895", "616 349 895"],
    ["+33 6 12 34 56 78", "06 12 34 56 78", "(0033) 612345678"],
    ["+49 (0)30 123456", "030/123456", "+4930123456"],
    ["+49 151 12345678", "0151 12345678"],
    ["+81-3-1234-5678", "03-1234-5678", "０３－１２３４－５６７８"],
    ["+44 20 7946 0958", "020 7946 0958"],
    ["+1 (212) 555-1234", "1-212-555-1234", "212.555.1234", "2125551234"],
    ["+86 138 1234 5678", "13812345678"],
    ["+45 12 34 56 78", "12345678"],
    ["+380 44 123 4567", "044 123 4567"],
  ])("%s is %s", (...notations) => {
    expect(new Set(notations.map(phoneDigits)).size).toBe(1);
  });
  it("are kept where they tell other long numbers apart", () => {
    const numbers = [
      "4006381333931",
      "5006381333931",
      "0012345678",
      "12345678",
      "212 555 1234",
      "213 555 1234",
    ];
    expect(new Set(numbers.map(phoneDigits)).size).toBe(numbers.length);
  });
});

it("the code of a country is read behind a plus or 00 alone", () => {
  const numbers = ["+49 (0)30 123456", "00380441234567", "+1 (212) 555-1234", "1-212-555-1234", "0012345678"];
  expect(numbers.map(phoneCountry)).toEqual(["49", "380", "1", "", ""]);
});
