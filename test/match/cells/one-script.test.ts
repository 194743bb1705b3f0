import { describe, expect, it } from "vitest";
import { likeArray } from "../../../src/like-array.js";
import { inOneScript, scriptNote, textsInOneScript } from "../../../src/match/cells/one-script.js";

const textsOf = (...columns: string[][]) => textsInOneScript(columns);

describe("two tables in different scripts", () => {
  it.each([
    ["Cyrillic", "Щербаков Юрий", "Shcherbakov Yuriy"],
    ["Cyrillic capitals", "ЩУКИН", "SHCHUKIN"],
    ["Cyrillic initials", "Ч. Айтматов", "Ch. Aytmatov"],
    ["Serbian", "Ђорђе Његош", "Djordje Njegosh"],
    ["Armenian", "Երևան", "Erevan"],
    ["Georgian", "თბილისი", "Tbilisi"],
    ["Hangul", "덴버", "Denbeo"],
    ["Han", "上海", "Shanghai"],
    ["katakana", "トロント", "Toronto"],
  ])("are compared in Latin letters: %s", async (_, name, latin) => {
    expect(await textsOf(["Example"], [name])).toEqual([["Example"], [latin]]);
    expect(await textsOf([name], ["Example"])).toEqual([[latin], ["Example"]]);
  });

  it.each([
    ["Παπαδόπουλος", "Papadopoulos"],
    ["Μπάρι", "Bari"],
    ["Ευάγγελος", "Evangelos"],
    ["Ντάλας", "Dalas"],
    ["ΠΑΎΛΟΣ", "PAVLOS"],
  ])("read two Greek letters that stand for one sound together: %s", async (name, latin) => {
    expect((await textsOf(["Example"], [name]))[1]).toEqual([latin]);
  });

  it("keep digits, signs and accents of Latin letters", async () => {
    expect((await textsOf(["Example"], ["Café №5, Москва (2020)", "naïve"]))[1]).toEqual([
      "Café №5, Moskva (2020)",
      "naïve",
    ]);
  });

  it("also where one has a column of codes in Latin letters", async () => {
    const { tables } = await inOneScript([
      { name: ["Perm", "Omsk"], code: ["A1", "B2"] },
      { город: ["Пермь", "Омск"], code: ["A1", "B2"] },
    ]);
    expect(tables[1]).toEqual({ город: ["Perm'", "Omsk"], code: ["A1", "B2"] });
  });

  it("may be made one cell at a time", async () => {
    const cells = likeArray(2, (row) => ["Пермь", "Омск"][row]);
    const [, made] = await textsInOneScript([["Omsk"], cells]);
    expect([made.length, made[1]]).toEqual([2, "Omsk"]);
  });

  it("say so, with an example", async () => {
    const { example } = await inOneScript([{ name: ["Omsk"] }, { name: ["1", "Омск"] }]);
    expect(example && scriptNote(example)).toBe(
      'names in different scripts are compared in Latin letters: "Омск" as "Omsk"',
    );
  });
});

describe("tables in the same scripts stay as they are", () => {
  it.each([
    ["Latin", ["Tromsø", "Łódź"], ["Tromso"]],
    ["Cyrillic", ["Омск", "Пермь"], ["Омскъ"]],
    ["Chinese and Latin", ["上海 ABC", "Sony 公司", "IBM"], ["上海", "IBM"]],
    ["no letters", ["1", ""], ["2"]],
  ])("%s", async (_, left, right) => {
    const given = [{ name: left }, { name: right }];
    const found = await inOneScript(given);
    expect(found.example).toBeUndefined();
    expect(found.tables).toBe(given);
  });

  it("a foreign word among many hundreds", async () => {
    const names = Array.from({ length: 300 }, (_, row) => `Name ${row}`);
    const given = [{ name: [...names, "Омск"] }, { name: names }];
    expect((await inOneScript(given)).tables).toBe(given);
  });
});

describe("one table", () => {
  it("whose names are written in two scripts is compared in Latin letters", async () => {
    expect(await textsOf(["Газпром", "Gazprom", "Lukoil"])).toEqual([["Gazprom", "Gazprom", "Lukoil"]]);
  });

  it("whose columns each have a script of their own stays as it is", async () => {
    const given = [{ name: ["Омск", "Пермь"], code: ["omsk", "perm"] }];
    expect((await inOneScript(given)).tables).toBe(given);
  });

  it("keeps its ideographs: different words sound the same", async () => {
    expect(await textsOf(["上海", "Shanghai", "Beijing"])).toEqual([["上海", "Shanghai", "Beijing"]]);
  });
});
