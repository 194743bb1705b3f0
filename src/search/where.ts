/** Conditions on the columns of an index, such as `city = 'Ulm' and not (employees < 50 or employees = '')`. */
import { ArgumentError } from "../errors.js";
import { isPlain } from "../table/cell.js";
import { listed, namedColumn } from "../table/columns.js";
import type { IndexLayout } from "./index-types.js";

export type Condition =
  | { readonly kind: "and" | "or" | "not"; readonly parts: readonly Condition[] }
  | Comparison;

/** A cell compared as text, or as a number: a cell that is not a number then fails. */
interface Comparison {
  readonly kind: "text" | "number";
  /** Place of the column in the layout. */
  readonly column: number;
  readonly operator: Operator;
  readonly value: string;
}

/** What the sign of the difference may be. */
const operators = {
  "=": [0],
  "!=": [-1, 1],
  "<>": [-1, 1],
  "<": [-1],
  "<=": [-1, 0],
  ">": [1],
  ">=": [0, 1],
};
type Operator = keyof typeof operators;

const token =
  /\s*(?:(?<text>'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*")|(?<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?(?![\p{L}\d_]))|(?<word>[\p{L}_][\p{L}\d_]*)|(?<sign>[!<>]=|<>|[=<>(),])|(?<end>$))/iuy;
type Token = Readonly<Record<"kind" | "text", string>> & { readonly start: number };

/** Deeper conditions would exhaust the stack. */
const mostDepth = 100;

/**
 * Reads a condition. Columns are found in any letter case; `and` binds more tightly than `or`.
 * @throws ArgumentError that shows the place
 */
export const parseCondition = (text: string, layout: IndexLayout): Condition =>
  new ConditionReader(text, layout).whole();

class ConditionReader {
  #next: Token;
  #depth = 0;

  constructor(
    private readonly text: string,
    private readonly layout: IndexLayout,
  ) {
    this.#next = this.#read(0);
  }

  whole(): Condition {
    const condition = this.#any();
    if (this.#next.kind === "end") return condition;
    throw this.#trouble(this.#next, "expected and, or, or the end");
  }

  #read(from: number): Token {
    const start = from + /^\s*/.exec(this.text.slice(from))![0].length;
    token.lastIndex = from;
    const groups = token.exec(this.text)?.groups ?? {};
    const [kind, text] = Object.entries(groups).find(([, part]) => part !== undefined) ?? ["", ""];
    if (kind !== "") return { kind, text, start };
    throw this.#trouble({ start }, "this cannot be read. Texts are in single quotes, as in city = 'Ulm'");
  }

  #trouble({ start }: Pick<Token, "start">, what: string): ArgumentError {
    const place = start < this.text.length ? `at ${this.text.slice(start, start + 20)}` : "the end";
    return new ArgumentError(`where, character ${start + 1} (${place}): ${what}.`);
  }

  #take(): Token {
    const taken = this.#next;
    this.#next = this.#read(taken.start + taken.text.length);
    return taken;
  }

  /** Takes a sign or keyword if it comes next. */
  #takes(wanted: string): boolean {
    const isNext = this.#next.text.toLowerCase() === wanted;
    if (isNext) this.#take();
    return isNext;
  }

  #expect(wanted: string): void {
    if (!this.#takes(wanted)) throw this.#trouble(this.#next, `expected ${wanted}`);
  }

  #any = (): Condition => this.#list("or", () => this.#list("and", () => this.#single()));

  #list(kind: "or" | "and" | ",", part: () => Condition): Condition {
    const parts = [part()];
    while (this.#takes(kind)) parts.push(part());
    return parts.length === 1 ? parts[0] : { kind: kind === "and" ? kind : "or", parts };
  }

  #single(): Condition {
    if (++this.#depth > mostDepth)
      throw this.#trouble(this.#next, `more than ${mostDepth} levels of brackets and not`);
    const isNegated = this.#takes("not");
    const isBracket = this.#next.text === "(";
    const part = isNegated ? this.#single() : isBracket ? this.#bracket(this.#any) : this.#comparison();
    this.#depth--;
    return isNegated ? { kind: "not", parts: [part] } : part;
  }

  #bracket(inside: () => Condition): Condition {
    this.#expect("(");
    const condition = inside();
    this.#expect(")");
    return condition;
  }

  #comparison(): Condition {
    const named = this.#take();
    if (!/^(word|quoted)$/.test(named.kind) || /^(and|or|not|in)$/i.test(named.text))
      throw this.#trouble(named, `expected a column, as in city = 'Ulm' or "founded in" > 2001`);
    const name = named.kind === "word" ? named.text : named.text.slice(1, -1).replaceAll('""', '"');
    const column = namedColumn(this.layout.columns, name);
    if (column < 0)
      throw this.#trouble(named, `the index has no column ${name}. It has ${listed(this.layout.columns)}`);
    const isNegated = this.#takes("not");
    if (isNegated || this.#next.text.toLowerCase() === "in") {
      this.#expect("in");
      const part = this.#bracket(() => this.#list(",", () => this.#compared(column, "=")));
      return isNegated ? { kind: "not", parts: [part] } : part;
    }
    const { text } = this.#next;
    if (!Object.hasOwn(operators, text))
      throw this.#trouble(this.#next, "expected =, !=, <, <=, >, >=, in or not in");
    this.#take();
    return this.#compared(column, text as Operator);
  }

  #compared(column: number, operator: Operator): Comparison {
    const taken = this.#take();
    const { kind, text } = taken;
    if (kind !== "text" && kind !== "number")
      throw this.#trouble(taken, "expected a number, or a text in single quotes, such as 'Ulm'");
    const value = kind === "text" ? text.slice(1, -1).replaceAll("''", "'") : text;
    const type = this.layout.types?.[column] ?? "VARCHAR";
    const hasNumbers = isPlain(type) && type !== "BOOLEAN";
    // The empty text is what a missing value of any type is stored as, and a column of a CSV file is text.
    const isRight = value === "" || type === "VARCHAR" || hasNumbers === (kind === "number");
    if (isRight) return { kind, column, operator, value };
    const wanted = type === "BOOLEAN" ? "'true' or 'false'" : `'${value}'`;
    const right = hasNumbers ? "numbers. Write a number without quotes" : `${type}. Write ${wanted}`;
    throw this.#trouble(taken, `${this.layout.columns[column]} holds ${right}`);
  }
}

/** What JavaScript and PostgreSQL both read as a number. */
const numberForm = String.raw`^ *[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]{1,3})? *$`;
const isNumber = new RegExp(numberForm, "i");
/** More digits than a float64 holds exactly. */
const isLong = /^ *-?\d{16,} *$/;

/** Tells which rows meet a condition, by their cells. */
export function conditionTest(condition: Condition): (cells: readonly string[]) => boolean {
  if ("parts" in condition) {
    const parts = condition.parts.map(conditionTest);
    if (condition.kind === "not") return (cells) => !parts[0](cells);
    if (condition.kind === "and") return (cells) => parts.every((test) => test(cells));
    return (cells) => parts.some((test) => test(cells));
  }
  const { kind, column, operator, value } = condition;
  const holds = (order: number): boolean => operators[operator].includes(Math.sign(order));
  if (kind === "text") return (cells) => holds(cells[column] === value ? 0 : cells[column] < value ? -1 : 1);
  return (cells) => {
    const cell = cells[column];
    const areLong = isLong.test(cell) && isLong.test(value);
    const order = areLong ? Number(BigInt(cell) - BigInt(value)) : Number(cell) - Number(value);
    return isNumber.test(cell) && holds(order);
  };
}

/** The same test in PostgreSQL's SQL, given the array of texts that it compares with as a parameter, such as "$3::text[]". */
export function conditionSql(condition: Condition, textOf: (column: number) => string) {
  const values: string[] = [];
  const sqlOf = (part: Condition): ((parameter: string) => string) => {
    if ("parts" in part) {
      const parts = part.parts.map(sqlOf);
      if (part.kind === "not") return (parameter) => `NOT ${parts[0](parameter)}`;
      return (parameter) => `(${parts.map((sql) => sql(parameter)).join(` ${part.kind} `)})`;
    }
    const place = values.push(part.value);
    const text = `coalesce(${textOf(part.column)}, '')`;
    const number = `CASE WHEN ${text} ~* '${numberForm}' THEN ${text}::numeric END`;
    return (parameter) =>
      part.kind === "text"
        ? `(${text} COLLATE "C" ${part.operator} (${parameter})[${place}])`
        : `coalesce(${number} ${part.operator} (${parameter})[${place}]::numeric, false)`;
  };
  return { sql: sqlOf(condition), values };
}
