/** Telephone numbers: which cells are some, and the digits that two notations of one have in common. */
import { narrow } from "../../text/accents.js";

const shape = /^\+?[\d(][\d\s()./-]{6,20}$/;
/** An address of a computer, or a number in groups, as "1 234 567". */
const other = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[1-9]\d?(?:\s\d{3})+)$/;

export const digitsOf = (cell: string): string => cell.replace(/\D/g, "");

/** Whether a trimmed cell may be a telephone number: 7 to 15 digits. */
export function isPhone(cell: string): boolean {
  const text = narrow(cell);
  if (!shape.test(text) || other.test(text)) return false;
  const { length } = digitsOf(text).replace(/^00/, "");
  const isBookNumber = length === 13 && /^97[89]/.test(text);
  return length >= 7 && length <= 15 && !isBookNumber;
}

/** Codes of countries (ITU-T E.164): one digit, two, or else three. */
const countryCode = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;
/** Digits of a number without the code of its country, at most. */
const national = 10;

/**
 * The digits of a telephone number as its own country dials it, without the leading zero: of "+48 616 349 895" and "616 349 895",
 * of "+49 (0)30 1234" and "030/1234". Of other long numbers the first digits are left out only where they are the code of
 * a country or of long distance: such numbers differ in their first digits too. "" without a digit.
 */
export function phoneDigits(cell: string): string {
  const text = narrow(cell);
  return ownDigits(internationalDigits(text)?.replace(countryCode, "") ?? digitsOf(text), text);
}

/** The code of the country of a telephone number that begins with "+" or "00"; "" for others. */
export const phoneCountry = (cell: string): string =>
  countryCode.exec(internationalDigits(narrow(cell)) ?? "")?.[0] ?? "";

/** The digits behind "+" or "00"; undefined for other numbers. */
function internationalDigits(text: string): string | undefined {
  const digits = digitsOf(text);
  const isInternational = /^[\s(]*\+/.test(text) || (/^[\s(]*00[1-9]/.test(text) && digits.length > national);
  return isInternational && digits.length <= 17 ? digits.replace(/^0+/, "") : undefined;
}

function ownDigits(digits: string, text: string): string {
  const bare = /^0[1-9]/.test(digits) ? digits.slice(1) : digits;
  if (bare.length <= national) return bare;
  const front = bare.slice(0, -national);
  const isCode = front === "1" || (front.length <= 3 && /\d+/.exec(text)?.[0] === front);
  return isCode ? bare.slice(-national) : bare;
}
