import { describe, expect, it } from "vitest";
import { likeArray } from "../../../src/like-array.js";
import { inOneScript, scriptNote, textsInOneScript } from "../../../src/match/cells/one-script.js";

const textsOf = (...lists: string[][]) => textsInOneScript(lists);
const [english, russian] = [["Perm", "Omsk"], "Пермь Омск".split(" ")];
const [perm, omsk] = ["Perm'", "Omsk"];

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
    ["Cyrillic with marks of their own", "Толстой".normalize("NFD"), "Tolstoy"],
    ["katakana with marks of their own", "ガンダム".normalize("NFD"), "Gandamu"],
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
    ["Ιντεγκρίνη α", "Integkrini α"],
  ])("read two Greek letters that stand for one sound together: %s", async (name, latin) => {
    expect((await textsOf(["Example"], [name]))[1]).toEqual([latin]);
  });

  it("keep digits, signs, accents of Latin letters and dates", async () => {
    const written = ["Café №5, Москва (2020)", "naïve", "Москва"];
    const latin = ["Café №5, Moskva (2020)", "naïve", "Moskva"];
    expect((await textsOf(["Example"], written))[1]).toEqual(latin);
    const dated = ["1999年8月10日", "港区3丁目5号"];
    expect((await textsOf(["Example"], dated))[1]).toEqual([dated[0], "Gangqu 3 Dingmu 5 Hao"]);
  });

  it.each([
    ["columns of the same header", { name: english, city: russian }, { name: russian, city: russian }],
    ["columns of other headers", { name: english }, { имя: russian }],
    ["beside a column of codes", { name: english, code: ["A1", "B2"] }, { имя: russian, code: ["A1", "B2"] }],
    ["one of two columns", { имя: russian, name: english }, { имя: russian, place: russian }],
  ])("by %s", async (_, left, right: Record<string, string[]>) => {
    const [, made] = await inOneScript([left, right]);
    expect(Object.values(made)).toContainEqual([perm, omsk]);
  });

  it("however many other columns there are", async () => {
    const others = Object.fromEntries(Array.from({ length: 30 }, (_, place) => [`c${place}`, ["x", "y"]]));
    const [, made] = await inOneScript([
      { name: english, ...others },
      { name: russian, ...others },
    ]);
    expect(made).toEqual({ name: [perm, omsk], ...others });
  });

  it("by the columns that are named, or not ignored", async () => {
    const tables = [
      { name: english, note: english },
      { name: english, note: russian },
    ];
    expect(await inOneScript(tables, { on: ["name"] })).toBe(tables);
    expect(await inOneScript(tables, { ignore: ["note"] })).toBe(tables);
    expect((await inOneScript(tables, { on: ["name=note"] }))[1].note).toEqual([perm, omsk]);
    const split = { first: russian, last: russian };
    expect((await inOneScript([split, { name: english }], { on: ["first + last=name"] }))[0].last).toEqual([
      perm,
      omsk,
    ]);
  });

  it("may be made one cell at a time", async () => {
    const cells = likeArray(2, (row) => russian[row]);
    const [, made] = await textsInOneScript([["Omsk"], cells]);
    expect([made.length, made[1]]).toEqual([2, "Omsk"]);
  });

  it("say so, with an example that is no header", async () => {
    const written = [["Omsk"], ["название", "1", ...russian]];
    const compared = await textsInOneScript(written);
    expect(scriptNote(written.map((cells, side) => [cells, compared[side]] as const))).toBe(
      `names in different scripts are compared in Latin letters: "Пермь" as "Perm'"`,
    );
  });
});

describe("tables in the same scripts stay as they are", () => {
  it.each([
    ["Latin", ["Tromsø", "Łódź"], ["Tromso"]],
    ["Cyrillic", ["Омск", "Пермь"], ["Омскъ"]],
    ["Chinese and Latin", ["上海 ABC", "Sony 公司", "IBM"], ["上海", "IBM"]],
    ["no letters", ["1", ""], ["2"]],
    ["nothing", [], []],
    ["a foreign word among many", [...Array(300).fill("Example"), "Омск"], ["Example"]],
  ])("%s", async (_, left, right) => {
    const tables = [{ name: left }, { name: right }];
    expect(await inOneScript(tables)).toBe(tables);
    expect(scriptNote([[left, left]])).toBeUndefined();
  });

  it.each([
    ["of the same header", "name"],
    ["of another header", "имя"],
  ])("beside columns that one table alone has: %s", async (_, header) => {
    const left = { name: russian, email: ["a@b.cd", "e@f.gh"], currency: ["RUB", "USD"] };
    const tables = [left, { [header]: russian }];
    expect(await inOneScript(tables)).toBe(tables);
  });

  it("Chinese beside a column of codes that the other table lacks", async () => {
    const tables: Record<string, string[]>[] = [
      { 名: ["上海", "北京"], code: ["AB", "CD"] },
      { 名: ["上海", "北京"] },
    ];
    expect(await inOneScript(tables)).toBe(tables);
  });
});

describe("one table", () => {
  it("whose names are written in two scripts is compared in Latin letters", async () => {
    expect(await textsOf(["Газпром", "Gazprom", "Lukoil"])).toEqual([["Gazprom", "Gazprom", "Lukoil"]]);
  });

  it("however its rows alternate", async () => {
    const names = Array.from({ length: 20_000 }, (_, row) => (row % 2 === 0 ? "Omsk" : "Омск"));
    expect(new Set((await textsOf(names))[0])).toEqual(new Set(["Omsk"]));
  });

  it("whose columns each have a script of their own stays as it is", async () => {
    const tables = [{ name: russian, code: ["omsk", "perm"] }];
    expect(await inOneScript(tables)).toBe(tables);
  });

  it("keeps its ideographs: different words sound the same", async () => {
    expect(await textsOf(["上海", "Shanghai", "Beijing"])).toEqual([["上海", "Shanghai", "Beijing"]]);
  });
});
