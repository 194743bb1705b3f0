/** Reads cells that are one number, in the notations that tables use. */
import { narrow } from "../../text/accents.js";

const shape = /^([-+−]?)\p{Sc}?\s?([-−]?)((?=[.,]?\d)[\d.,'’\s]*\d)(\s?(?:\p{Sc}|%|[a-z]{3}))?$/iu;
const spaced = String.raw`[1-9]\d{0,2}(?:['’\s]\d{3})+`;
/** "1,234,567.5", "1'234.56", in India "12,34,567". */
const withPoint = new RegExp(String.raw`^(\d*|[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}|${spaced})(?:\.(\d+))?$`, "u");
/** "1.234.567,5", "1 234,56". One comma before three digits is read as a separator of thousands, one point as that of decimals. */
const withComma = new RegExp(String.raw`^(\d*|[1-9]\d{0,2}(?:\.\d{3})+|${spaced})(?:,(\d+))?$`, "u");

/** "192.168.100.200" has the form of 192,168,100,200 in groups of thousands. */
const isIpAddress = (text: string): boolean =>
  /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(text) &&
  text.split(".").every((group) => Number(group) <= 255);

export interface WrittenNumber {
  /** Its digits as they are written, leading zeros included, with "-" and a decimal point where needed. */
  readonly text: string;
  /** A currency, "%" or a word of three letters behind it, with the space between; "" without one. */
  readonly unit: string;
}

/** A cell that is one number, with or without a currency; undefined for others. */
export function readNumber(cell: string): WrittenNumber | undefined {
  const text = narrow(cell).trim();
  const found = shape.exec(text);
  if (found === null || isIpAddress(text)) return undefined;
  const parts = withPoint.exec(found[3]) ?? withComma.exec(found[3]);
  if (parts === null) return undefined;
  const whole = parts[1].replace(/\D/g, "") || "0";
  const digits = parts[2] === undefined ? whole : `${whole}.${parts[2]}`;
  const isNegative = /[-−]/.test(found[1] + found[2]) && /[1-9]/.test(digits);
  return { text: isNegative ? `-${digits}` : digits, unit: found[4] ?? "" };
}

/** Digits without leading zeros, which tables lose; other texts as they are. */
export const bareDigits = (text: string): string =>
  /^0+\d+$/.test(text) ? text.replace(/^0+(?=\d)/, "") : text;

/** The value of a cell that is one number, with or without a currency; NaN for others. */
export const cellNumber = (cell: string): number => Number(readNumber(cell)?.text ?? Number.NaN);
