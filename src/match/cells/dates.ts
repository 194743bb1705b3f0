/** Reads dates as day numbers, in the notations that tables use. */
import { narrow } from "../../text/accents.js";
import { once } from "../once.js";

const isoLike = /^(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})(?:[T ].*)?$/;
const compact = /^(\d{4})(\d{2})(\d{2})$/;
/** "2024年3月12日", in Korea "2024년 3월 12일". */
const signed = /^(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일号號]$/;
const yearLast = /^(\d{1,2})[-/.](\d{1,2})(?:[-/.](\d{4})|\/(\d{2}))(?: .*)?$/;
const named =
  /^(?:[\p{L}-]{3,13},? )?(?:(\d{1,2})(?:st|nd|rd|th|er|\.)? )?(?:(?:of|de) )?(\p{L}{3,10})\.?,? (?:(\d{1,2})(?:st|nd|rd|th)?,? )?(?:de )?(\d{4})$/iu;

/** Two digits of a year from here on are of the last century, as spreadsheets read them. */
const firstOfLastCentury = 30;

/** Whether the day comes first in dates such as 13/4/1999 of one column; undefined where the column does not show it. */
export type DayFirst = boolean | undefined;

/** Languages of the names of months, and of their abbreviations. */
const languages = ["en", "en-GB", "de", "fr", "es", "it", "pt", "nl"];

const bareName = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/[\p{M}.]/gu, "")
    .toLowerCase();

/** Numbers of months by name. Asked for late, as most tables have no such dates. */
const months = once(() => {
  const found = new Map<string, number>();
  for (const language of languages)
    for (const length of ["long", "short"] as const) {
      const format = new Intl.DateTimeFormat(language, { month: length, timeZone: "UTC" });
      for (let month = 0; month < 12; month++)
        found.set(bareName(format.format(Date.UTC(2000, month))), month + 1);
    }
  return found;
});

/**
 * Year, month and day, or undefined if the text is no date. In 4.5.1999 the day comes first, and the month in 4/5/1999
 * unless the column shows another order.
 */
export function readDate(text: string, dayFirst?: DayFirst): readonly [number, number, number] | undefined {
  const bare = narrow(text).trim();
  if (bare.length < 6 || bare.length > 32) return undefined;
  const parts = isoLike.exec(bare) ?? compact.exec(bare) ?? signed.exec(bare);
  if (parts !== null) return checked(Number(parts[1]), Number(parts[2]), Number(parts[3]));
  const last = yearLast.exec(bare);
  if (last !== null) {
    const [first, second] = [Number(last[1]), Number(last[2])];
    const year = last[3] === undefined ? wholeYear(Number(last[4])) : Number(last[3]);
    const isFirst = first > 12 || (dayFirst && second <= 12) || /^\d+\./.test(bare);
    return isFirst ? checked(year, second, first) : checked(year, first, second);
  }
  const words = named.exec(bare);
  if (words === null) return undefined;
  const month = months().get(bareName(words[2])) ?? 0;
  return checked(Number(words[4]), month, Number(words[1] ?? words[3] ?? Number.NaN));
}

const wholeYear = (digits: number): number => digits + (digits < firstOfLastCentury ? 2000 : 1900);

/** Reads the order of day and month off the dates of a column that can be read in one way only. */
export function isDayFirst(cells: Iterable<string>): DayFirst {
  let found: DayFirst;
  for (const cell of cells) {
    const parts = yearLast.exec(narrow(cell).trim());
    if (parts === null || /^\d+\./.test(parts[0])) continue;
    const [first, second] = [Number(parts[1]), Number(parts[2])];
    const isFirst = checked(2000, second, first) !== undefined;
    if (isFirst === (checked(2000, first, second) !== undefined)) continue;
    found ??= isFirst;
    if (found !== isFirst) return undefined;
  }
  return found;
}

function checked(year: number, month: number, day: number): readonly [number, number, number] | undefined {
  const isDate = year >= 1000 && year < 2200 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  return isDate ? [year, month, day] : undefined;
}

/** Year × 10,000 + month × 100 + day: the parts stay readable. NaN if the text is no date. */
export function dateNumber(text: string, dayFirst?: DayFirst): number {
  const date = readDate(text, dayFirst);
  return date === undefined ? Number.NaN : date[0] * 10_000 + date[1] * 100 + date[2];
}

/** Days from 1970 of a date number. */
export function dayOf(date: number): number {
  const [year, month, day] = [Math.floor(date / 10_000), Math.floor(date / 100) % 100, date % 100];
  return Date.UTC(year, month - 1, day) / 86_400_000;
}

const timeOfDay = /[T ](\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?\s?([ap]m)?\s?(?:Z|([+-]\d\d):?(\d\d)?)?$/i;

/** Milliseconds from 1970 of a date and the time of day behind it, in UTC where no zone is written. NaN if the text is no date. */
export function momentOf(text: string, dayFirst?: DayFirst): number {
  const time = timeOfDay.exec(narrow(text).trim()) ?? [];
  const [, hours = "0", minutes = "0", seconds = "0", half = "", zone = "0", zoneMinutes = "0"] = time;
  const hour = half === "" ? Number(hours) : (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0);
  const offset = Number(zone) * 60 + (zone.startsWith("-") ? -1 : 1) * Number(zoneMinutes);
  const second = (hour * 60 + Number(minutes) - offset) * 60 + Number(seconds);
  return dayOf(dateNumber(text, dayFirst)) * 86_400_000 + second * 1000;
}
