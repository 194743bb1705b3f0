/** What commands print: numbers, tables, progress; and how option values are read. */
import { InvalidArgumentError } from "commander";
import { describe, expect, it } from "vitest";
import { counted, formatBytes, formatCount, formatDuration } from "../../src/cli/format.js";
import { delimiterOf, fraction, positiveInteger, shardOf, wholeNumber } from "../../src/cli/options.js";
import { progressLine, rateMeter, startProgress } from "../../src/cli/progress.js";
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
    expect(progressLine({ ...state, value: 250 })).toBe(
      `encoding ${bar} 25 %, 30 s left, 25 phrases/s, 250/1,000`,
    );
  });

  it("shows count and rate alone where the total is unknown", () => {
    expect(progressLine({ ...state, total: 0, value: 5_000_000, unit: "bytes", perSecond: 500_000 })).toBe(
      "encoding 5.0 MB, 500 kB/s",
    );
  });

  it("shows no time left before there is a rate", () => {
    expect(progressLine({ ...state, value: 0, perSecond: 0 })).toMatch(/ 0 %, 0 phrases\/s, 0\/1,000$/);
  });

  it("measures the rate of what this run does, not of what an earlier one has finished", () => {
    let time = 0;
    const meter = rateMeter(() => time);
    expect(meter.perSecond()).toBe(0);
    for (let done = 900_000; done <= 900_500; done += 10) {
      meter.note(done);
      time += 100;
    }
    expect(meter.perSecond()).toBeCloseTo(100);
  });

  it("forgets a slow beginning after a while, and starts anew with the next file", () => {
    let time = 0;
    const meter = rateMeter(() => time);
    meter.note(0);
    time = 60_000;
    for (let done = 0; done <= 20_000; done += 100) {
      meter.note(done);
      time += 100;
    }
    expect(meter.perSecond()).toBeCloseTo(1000);
    meter.note(5);
    time += 1000;
    meter.note(15);
    expect(meter.perSecond()).toBeCloseTo(10);
  });

  it("writes nothing where stderr is no terminal", async () => {
    const written: unknown[] = [];
    const original = process.stderr.write;
    process.stderr.write = ((chunk: unknown) => written.push(chunk) > 0) as typeof process.stderr.write;
    try {
      const progress = await startProgress({ label: "encoding", total: 10 });
      progress.update(5);
      progress.finish();
    } finally {
      process.stderr.write = original;
    }
    expect(written).toEqual([]);
  });
});

describe("option values", () => {
  it("are read exactly", () => {
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
