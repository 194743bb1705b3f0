/** Reads dates as day numbers, in the notations that tables use. */

const isoLike = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?$/;
const compact = /^(\d{4})(\d{2})(\d{2})$/;
const dayLast = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?: .*)?$/;
const named =
  /^(?:\w{3,9},? )?(?:(\d{1,2})\.? )?([a-z]{3,9})\.?,? (?:(\d{1,2})(?:st|nd|rd|th)?,? )?(\d{4})$/i;
const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** Year, month and day, or undefined if the text is no date. The month comes first in 4/5/1999, second in 4.5.1999. */
export function readDate(text: string): readonly [number, number, number] | undefined {
  const bare = text.trim();
  if (bare.length < 8 || bare.length > 32) return undefined;
  const parts = isoLike.exec(bare) ?? compact.exec(bare);
  if (parts !== null) return checked(Number(parts[1]), Number(parts[2]), Number(parts[3]));
  const last = dayLast.exec(bare);
  if (last !== null) {
    const [first, second, year] = [Number(last[1]), Number(last[2]), Number(last[3])];
    const isDayFirst = first > 12 || /^\d+\./.test(bare);
    return isDayFirst ? checked(year, second, first) : checked(year, first, second);
  }
  const words = named.exec(bare);
  if (words === null) return undefined;
  const month = months.indexOf(words[2].slice(0, 3).toLowerCase()) + 1;
  return checked(Number(words[4]), month, Number(words[1] ?? words[3] ?? Number.NaN));
}

function checked(year: number, month: number, day: number): readonly [number, number, number] | undefined {
  const isDate = year >= 1000 && year < 2200 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  return isDate ? [year, month, day] : undefined;
}

/** Year × 10,000 + month × 100 + day: the parts stay readable. NaN if the text is no date. */
export function dateNumber(text: string): number {
  const date = readDate(text);
  return date === undefined ? Number.NaN : date[0] * 10_000 + date[1] * 100 + date[2];
}

/** Days from 1970 of a date number. */
export function dayOf(date: number): number {
  const [year, month, day] = [Math.floor(date / 10_000), Math.floor(date / 100) % 100, date % 100];
  return Date.UTC(year, month - 1, day) / 86_400_000;
}
