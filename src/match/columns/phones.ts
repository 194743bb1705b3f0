/** Telephone numbers: which cells are some, and the digits that two notations of one have in common. */

const shape = /^\+?[\d(][\d\s()./-]{6,20}$/;
/** An address of a computer, or a number in groups, as "1 234 567". */
const other = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[1-9]\d?(?:\s\d{3})+)$/;

const digitsOf = (cell: string): string => cell.replace(/\D/g, "");

/** Whether a trimmed cell may be a telephone number: 7 to 15 digits. */
export function isPhone(cell: string): boolean {
  if (!shape.test(cell) || other.test(cell)) return false;
  const { length } = digitsOf(cell).replace(/^00/, "");
  const isBookNumber = length === 13 && /^97[89]/.test(cell);
  return length >= 7 && length <= 15 && !isBookNumber;
}

/** Digits of a number without the code of its country. */
const national = 10;

/**
 * The digits of a telephone number, "" without any. Of more than 10, those before the last 10 are left out only where they are the code of
 * a country or of long distance: other long numbers differ in their first digits too.
 */
export function phoneDigits(cell: string): string {
  const digits = digitsOf(cell);
  if (digits.length <= national) return digits;
  const front = digits.slice(0, -national);
  const isInternational = /^[\s(]*(?:\+|00)/.test(cell) && digits.length <= 17;
  const isCode = front.length <= 3 && (/^[01]$/.test(front) || /\d+/.exec(cell)?.[0] === front);
  return isInternational || isCode ? digits.slice(-national) : digits;
}
