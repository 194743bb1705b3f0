/** What commands print: numbers, tables, progress; and how option values are read. */
import { InvalidArgumentError } from "commander";
import stringWidth from "string-width";
import { describe, expect, it, vi } from "vitest";
import { counted, formatBytes, formatCount, formatDuration } from "../../src/cli/format.js";
import { delimiterOf, fraction, positiveInteger, shardOf, wholeNumber } from "../../src/cli/options.js";
import { progressDisplay, progressLine, rateMeter, readingDisplay } from "../../src/cli/progress.js";
import { alignColumns } from "../../src/files/text-table.js";

describe("numbers for people", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [999_600, "1.0 MB"],
    [133_000_000, "133 MB"],
    [25_276_510_208, "25.3 GB"],
  ])("%i bytes are %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it.each([
    [0.42, "0.4 s"],
    [9.96, "10 s"],
    [59.7, "1 min 0 s"],
    [185, "3 min 5 s"],
    [7800, "2 h 10 min"],
  ])("%f seconds are %s", (seconds, text) => expect(formatDuration(seconds)).toBe(text));

  it("separates thousands", () => expect(formatCount(1_234_567.4)).toBe("1,234,567"));

  it("gives one thing a singular noun, and any other number a plural", () => {
    expect([0, 1, 2000].map((count) => counted(count, "row"))).toEqual(["0 rows", "1 row", "2,000 rows"]);
    expect(counted(2, "match", "matches")).toBe("2 matches");
  });
});

describe("tables for people", () => {
  it("align columns, numbers to the right, wide characters by their width", () => {
    const rows = [
      ["NAME", "N"],
      ["東京", "5"],
      ["e\u0301te", "12"],
    ];
    expect(alignColumns(rows, (column) => column === 1)).toBe("NAME   N\n東京   5\ne\u0301te   12");
  });
});

describe("progress", () => {
  const state = { label: "encoding", unit: "phrases", total: 1000, perSecond: 25 } as const;

  it("shows share, rate and time left", () => {
    const bar = "█".repeat(3) + "░".repeat(9);
    expect(progressLine({ ...state, done: 250 })).toBe(
      `encoding ${bar} 25 %, 30 s left, 25 phrases/s, 250/1,000`,
    );
  });

  it("shows the time left of shards, of which many seconds end none and one ends several", () => {
    const rate = rateMeter(Infinity);
    for (const [done, second] of [
      [0, 0],
      [4, 100],
      [8, 199],
      [9, 201],
      [10, 202],
    ])
      rate(done, 1000 * second);
    const perSecond = rate(10, 250_000);
    expect(
      progressLine({ label: "shards", unit: "shards", done: 10, total: 20, perSecond }, "without bar"),
    ).toBe("shards 50 %, 4 min 10 s left, 10/20");
  });

  it("shows only count and rate if the total is unknown", () => {
    expect(progressLine({ ...state, total: 0, done: 5_000_000, unit: "bytes", perSecond: 500_000 })).toBe(
      "encoding 5.0 MB, 500 kB/s",
    );
  });

  it("shows neither time left nor rate before there is a rate, nor a slow rate as 0", () => {
    expect(progressLine({ ...state, done: 0, perSecond: 0 })).toMatch(/ 0 %, 0\/1,000$/);
    expect(progressLine({ ...state, done: 347, total: 0, perSecond: 0 })).toBe("encoding 347 phrases");
    expect(progressLine({ ...state, done: 999, perSecond: 0.4 })).toMatch(/ 99 %, 2\.5 s left, 999\/1,000$/);
  });

  it("measures the rate of this run, not of an earlier one", () => {
    const rate = rateMeter();
    expect(rate(900_000, 0)).toBe(0);
    for (let step = 1; step < 50; step++) rate(900_000 + 10 * step, 100 * step);
    expect(rate(900_500, 5000)).toBeCloseTo(100);
  });

  it("forgets a slow start after a while, and starts over with the next file", () => {
    const rate = rateMeter();
    rate(0, 0);
    for (let step = 0; step < 200; step++) rate(100 * step, 60_000 + 100 * step);
    expect(rate(20_000, 80_000)).toBeCloseTo(1000);
    rate(5, 81_000);
    expect(rate(15, 82_000)).toBeCloseTo(10);
  });

  /** Runs `use` and returns what a display wrote to stderr. */
  function written(isTerminal: boolean, use: (display: ReturnType<typeof progressDisplay>) => void): string {
    const { write, isTTY } = process.stderr;
    const chunks: string[] = [];
    process.stderr.write = ((chunk: string) => chunks.push(chunk) > 0) as typeof process.stderr.write;
    process.stderr.isTTY = isTerminal;
    try {
      use(progressDisplay({}));
    } finally {
      Object.assign(process.stderr, { write, isTTY });
    }
    return chunks.join("");
  }

  it("writes only notes if stderr is not a terminal", () => {
    const text = written(false, ({ show, say, finish }) => {
      show("encoding", 5, 10);
      say("a note");
      finish();
    });
    expect(text).toBe("a note\n");
  });

  it("writes at most one line a minute, without a bar, if stderr is not a terminal", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const text = written(false, ({ show }) => {
        for (let second = 1; second <= 150; second++) {
          vi.advanceTimersByTime(1000);
          show(second <= 90 ? "encoding" : "comparing", second, 1000, "phrases");
        }
      });
      expect(text.split("\n")).toEqual([
        "encoding 6 %, 15 min 40 s left, 1 phrases/s, 60/1,000",
        "comparing 12 %, 14 min 40 s left, 1 phrases/s, 120/1,000",
        "",
      ]);
      expect(written(false, ({ show }) => show("encoding", 5, 10))).toBe("");
    } finally {
      vi.useRealTimers();
    }
  });

  it("shows a time left only where a stage keeps its pace", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const shownAt = (doneAt: (second: number) => number, unit: "phrases" | "items"): number | undefined => {
      const text = written(true, ({ show }) => {
        for (let second = 0; second <= 100; second++) {
          show("grouping", doneAt(second), 1000, unit);
          vi.advanceTimersByTime(1000);
        }
      });
      const place = text.split("\r").findIndex((line) => line.includes(" left"));
      return place < 0 ? undefined : place - 1;
    };
    try {
      expect(shownAt((second) => 2 * second, "phrases")).toBe(5);
      expect(shownAt((second) => 2 * second, "items")).toBe(25);
      expect(shownAt((second) => second ** 5 / 1e7, "items")).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it("shows the reading of a table only from 1.5 s on, each stage by its own name and unit", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const text = written(true, ({ show }) => {
        const onReading = readingDisplay(show);
        const path = "folder/names.csv";
        onReading({ path, stage: "reading", done: 1e6, total: 9e6 });
        vi.advanceTimersByTime(1400);
        onReading({ path, stage: "reading", done: 2e6, total: 9e6 });
        vi.advanceTimersByTime(200);
        onReading({ path, stage: "reading", done: 3e6, total: 9e6 });
        onReading({ path, stage: "loading", done: 600, total: 6000 });
      });
      const lines = text.split("\r\u001b[K").slice(1);
      expect(lines).toEqual([
        expect.stringMatching(/^reading names\.csv █+░+ 33 %, .*3\.0 MB\/9\.0 MB$/),
        expect.stringMatching(/^loading names\.csv █+░+ 10 %, .*600\/6,000$/),
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("never fills more columns than the terminal has, also with wide characters", () => {
    const { columns } = process.stderr;
    process.stderr.columns = 39;
    try {
      const text = written(true, ({ show }) => show("東京の会社の一覧表とその他の名前の一覧表", 5, 10));
      expect(stringWidth(text.replace("\r\u001b[K", ""))).toBeLessThan(39);
      expect(written(true, ({ show }) => show(`a${"😀".repeat(30)}`, 5, 10))).not.toMatch(/\p{Cs}/u);
    } finally {
      process.stderr.columns = columns;
    }
  });

  it("writes no progress at all if quiet", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const display = progressDisplay({ quiet: true });
    vi.advanceTimersByTime(120_000);
    expect(written(true, () => display.show("encoding", 5, 10))).toBe("");
    vi.useRealTimers();
  });

  it("replaces its line on a terminal, and removes it for a note", () => {
    const text = written(true, ({ show, say }) => {
      show("encoding", 5, 10, "phrases");
      show("encoding", 6, 10, "phrases");
      say("a note");
    });
    const line = progressLine({ label: "encoding", unit: "phrases", done: 5, total: 10, perSecond: 0 });
    expect(text).toBe(`\r\u001b[K${line.slice(0, 79)}\r\u001b[Ka note\n`);
  });
});

describe("option values", () => {
  it("are parsed exactly", () => {
    expect(positiveInteger("256")).toBe(256);
    expect(wholeNumber("0")).toBe(0);
    expect(fraction("0.9")).toBe(0.9);
    expect(shardOf("2/4")).toEqual({ index: 2, count: 4 });
    expect([delimiterOf("tab"), delimiterOf(";"), delimiterOf("\\t")]).toEqual(["\t", ";", "\t"]);
  });

  it.each([
    ...["0", "-1", "1.5", "1e3", "", " 1", "9007199254740993"].map(
      (text) => [positiveInteger, text] as const,
    ),
    ...["-1", "x", ""].map((text) => [wholeNumber, text] as const),
    ...["1.1", "-0.1", "", "NaN", "half"].map((text) => [fraction, text] as const),
    ...["0/4", "5/4", "4", "1/0", "a/b", "1/2/3"].map((text) => [shardOf, text] as const),
    ...["", "ab", ";;"].map((text) => [delimiterOf, text] as const),
  ])("%o refuses %j", (parse, text) => {
    expect(() => parse(text)).toThrow(InvalidArgumentError);
  });
});
