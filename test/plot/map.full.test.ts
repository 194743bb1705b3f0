/** Maps are self-contained files that keep similar phrases together and are readable in light and dark. */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { labelText, type PlacedLabel, placeLabels, scattered } from "../../src/plot/labels.js";
import { type MapPoint, mapAsSvg } from "../../src/plot/map.js";
import { mapAsHtml } from "../../src/plot/map-page.js";
import { projectToPlane } from "../../src/plot/project.js";
import { dark, escapeText, light, marks } from "../../src/plot/theme.js";
import { createRandom } from "../../src/random.js";
import { pearl as spawned } from "../cli/run-cli.js";
import { pearl } from "../cli/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-plot-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** WCAG 2.1's contrast ratio of two colours. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const parts = [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255);
    const [red, green, blue] = parts.map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

describe.each([
  ["light", light],
  ["dark", dark],
] as const)("the %s theme", (_, theme) => {
  it("has text of at least 4.5 : 1 and marks of at least 3 : 1, each of another shape", () => {
    for (const ground of [theme.background, theme.panel]) {
      for (const ink of [theme.ink, theme.muted]) expect(contrast(ink, ground)).toBeGreaterThan(4.5);
    }
    for (const colour of [...theme.categories, theme.rest]) {
      expect(contrast(colour, theme.background), colour).toBeGreaterThan(3);
    }
    expect(theme.categories).toHaveLength(marks.length);
    expect(new Set(marks).size).toBe(marks.length);
  });
});

describe("projectToPlane", () => {
  const dimension = 20;
  const clusters = 4;
  const each = 20;
  const random = createRandom(2);
  const centres = Array.from({ length: clusters * dimension }, () => random() - 0.5);
  const vectors = Float32Array.from({ length: clusters * each * dimension }, (_, place) => {
    const cluster = Math.floor(place / (each * dimension));
    return centres[cluster * dimension + (place % dimension)] + 0.2 * (random() - 0.5);
  });

  it("keeps similar embeddings together, and gives the same map for the same seed", async () => {
    const places = await projectToPlane(vectors, { dimension });
    expect(places).toEqual(await projectToPlane(vectors, { dimension }));
    expect(places).not.toEqual(await projectToPlane(vectors, { dimension, seed: 1 }));
    let same = 0;
    for (let row = 0; row < clusters * each; row++) {
      let nearest = -1;
      let least = Infinity;
      for (let other = 0; other < clusters * each; other++) {
        const apart = Math.hypot(places[row][0] - places[other][0], places[row][1] - places[other][1]);
        if (other !== row && apart < least) [least, nearest] = [apart, other];
      }
      if (Math.floor(nearest / each) === Math.floor(row / each)) same++;
    }
    expect(same / (clusters * each)).toBeGreaterThan(0.98);
  });

  it("works for a few phrases with equal embeddings, and refuses fewer than four", async () => {
    const few = Float32Array.from({ length: 5 * 3 }, (_, place) => (place < 6 ? 1 : place % 4) + 0.1);
    const places = await projectToPlane(few, { dimension: 3 });
    expect(places.flat().every(Number.isFinite)).toBe(true);
    await expect(projectToPlane(few.subarray(0, 9), { dimension: 3 })).rejects.toThrow(
      /at least 4 phrases, found 3/,
    );
  });
});

describe("a map", () => {
  const random = createRandom(5);
  const points: MapPoint[] = Array.from({ length: 300 }, (_, index) => ({
    x: random() * 9,
    y: random() * 4,
    phrase: index === 0 ? '<script>alert("&' : `phrase ${index}`,
    category: index < 290 ? `kind ${index % 12}` : "",
  }));
  const drawing = { title: "A & B", notes: ["First note.", "Second."], categoriesAre: "kind", points };

  it.each([
    ["SVG", mapAsSvg(drawing)],
    ["HTML", mapAsHtml(drawing)],
  ])("as %s shows every point within the frame, by mark and colour, and fetches nothing", (_, text) => {
    const uses = [
      ...text.matchAll(/<use href="#m(\d)" x="([\d.-]+)" y="([\d.-]+)" class="(\w+)"[^>]*><title>/g),
    ];
    expect(uses).toHaveLength(300);
    for (const [, , x, y] of uses) {
      expect(Number(x)).toBeGreaterThan(0);
      expect(Number(x)).toBeLessThan(960);
      expect(Number(y)).toBeGreaterThan(0);
    }
    expect(uses.filter(([, , , , style]) => style === "c0").length).toBeGreaterThanOrEqual(24);
    expect(text).toContain("4 others (106)");
    expect(text).toContain("&lt;script&gt;alert(&quot;&amp;");
    expect(text).not.toContain("<script>alert");
    expect(text.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|@import|url\((?!#)|src=/);
    expect(text).toContain("prefers-color-scheme:dark");
  });

  it("has labels that do not overlap", () => {
    const labels = [
      ...mapAsSvg(drawing).matchAll(/<text x="([\d.]+)" y="([\d.]+)"( text-anchor="end")?>(phrase \d+)</g),
    ];
    expect(labels.length).toBeGreaterThan(10);
    const boxes = labels.map(([, x, y, end, text]) => {
      const length = text.length * 6;
      const left = end ? Number(x) - length : Number(x);
      return { left, right: left + length, y: Number(y) };
    });
    boxes.forEach((box, index) => {
      for (const other of boxes.slice(index + 1)) {
        const apart = box.right < other.left || other.right < box.left || Math.abs(box.y - other.y) > 10;
        expect(apart).toBe(true);
      }
    });
  });

  it("as a page runs its own script alone: no handlers or script in its markup, and a policy with the script's hash", () => {
    const page = mapAsHtml(drawing);
    const [, script] = /<script>(.*)<\/script>/s.exec(page) ?? [];
    const hash = createHash("sha256").update(script).digest("base64");
    expect(page).toContain(`default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'`);
    expect(page).toContain(`script-src 'sha256-${hash}'">`);
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page.replace(script, "")).not.toMatch(/ on\w+="|javascript:/);
    expect(() => new Function(script)).not.toThrow();
    for (const id of script.matchAll(/byId\("(\w+)"\)/g)) expect(page).toContain(`id="${id[1]}"`);
  });

  it("counts the categories without a colour in words", () => {
    const nine = points.map((point, index) => ({ ...point, category: index < 9 ? `kind ${index}` : "" }));
    expect(mapAsSvg({ ...drawing, points: nine })).toContain("1 other (292)");
    expect(mapAsSvg({ ...drawing, points: nine.slice(0, 9) })).toContain("kind 8 (1)");
  });

  it("removes characters that would break the file", () => {
    expect(escapeText('a\u0000b\ud800c<d>&"\n')).toBe("abc&lt;d&gt;&amp;&quot; ");
  });
});

describe("labels", () => {
  const random = createRandom(3);
  const spots = Array.from({ length: 500 }, () => ({
    x: random() * 800,
    y: random() * 600,
    length: 20 + random() * 150,
  }));
  const room = { width: 800, height: 600, most: 100, crowd: 0 };
  const boxesOf = (labels: readonly PlacedLabel[]) =>
    labels.map(({ index, x, y, isLeft }) => {
      const left = isLeft ? x - spots[index].length : x;
      return { index, left, right: left + spots[index].length, top: y - 11, bottom: y + 3 };
    });

  it("lie in the frame without overlaps, and the first spot has one", () => {
    const boxes = boxesOf(placeLabels(spots, room));
    expect(boxes.length).toBeGreaterThan(30);
    boxes.forEach((box, at) => {
      expect(Math.min(box.left, box.top)).toBeGreaterThanOrEqual(0);
      expect(box.right).toBeLessThanOrEqual(800);
      expect(box.bottom).toBeLessThanOrEqual(600);
      for (const other of boxes.slice(at + 1))
        expect(
          box.right < other.left ||
            other.right < box.left ||
            box.bottom < other.top ||
            other.bottom < box.top,
        ).toBe(true);
    });
    const central = [{ x: 400, y: 300, length: 90 }, ...spots];
    expect(placeLabels(central, room)[0].index).toBe(0);
  });

  it("cover no mark unless there is a crowd", () => {
    for (const box of boxesOf(placeLabels(spots, { ...room, crowd: 500 })))
      spots.forEach(({ x, y }, index) => {
        const covers = x > box.left && x < box.right && y > box.top + 2 && y < box.bottom - 2;
        expect(covers && index !== box.index).toBe(false);
      });
  });

  it("are cut between characters", () => {
    expect(labelText("a".repeat(30))).toHaveLength(30);
    expect(labelText(`${"a".repeat(28)}😀😀😀`)).toBe(`${"a".repeat(28)}😀…`);
  });

  it("are tried in an order that visits every point once and spreads over all", () => {
    const order = scattered(1000);
    expect([...order].sort((a, b) => a - b)).toEqual([...Array(1000).keys()]);
    const quarters = order.slice(0, 100).map((place) => Math.floor(place / 250));
    for (let quarter = 0; quarter < 4; quarter++)
      expect(quarters.filter((one) => one === quarter).length).toBeGreaterThan(15);
  });
});

describe("pearl plot", () => {
  it("draws a sample and reports it, coloured by a column, and refuses what it cannot draw", async () => {
    const rows = Array.from(
      { length: 60 },
      (_, row) => `name ${row} of ${row % 5},${row % 3 ? "odd" : "even"}`,
    );
    writeFileSync(join(folder, "names.csv"), `name,kind\n${rows.join("\n")}\n,none\n`);
    const options = { cwd: folder };
    const run = await pearl(
      ["plot", "names.csv", "--color", "kind", "--sample", "50", "-o", "map.svg"],
      options,
    );
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toMatch(/^wrote map\.svg: 50 of 61 phrases/);
    expect(run.stderr).toContain("rows skipped because they have no phrase: 1");
    expect(run.stderr).toContain("50 of 60 rows are drawn, chosen at random");
    const text = readFileSync(join(folder, "map.svg"), "utf8");
    expect([...text.matchAll(/<title>name \d+ of \d \((odd|even)\)<\/title>/g)]).toHaveLength(50);
    expect(text).toContain("50 of 60 phrases, chosen at random (seed 0), encoded by");
    const ending = await pearl(["plot", "names.csv", "-o", "map.pdf"], options);
    expect(ending.stderr).toContain(".html or .svg");
    const column = await pearl(["plot", "names.csv", "--color", "colour", "-o", "x.html"], options);
    expect(column.stderr).toContain('no column "colour"');
    writeFileSync(join(folder, "two.txt"), "one\ntwo\n");
    const few = await pearl(["plot", "two.txt"], options);
    expect(few).toMatchObject({ code: 1 });
    expect(few.stderr).toContain("at least 4 phrases, found 2");
    const sample = await pearl(["plot", "names.csv", "--sample", "2"], options);
    expect(sample.stderr).toContain("a map needs at least 4 phrases. Draw more (--sample).");
    const inFile = await pearl(["plot", "names.csv", "--sample", "4", "-o", "two.txt/map.svg"], options);
    expect(inFile.stderr).toMatch(
      /two\.txt\/map\.svg: its folder is a file\. Choose another output name\.\n$/,
    );
    const report = ["plot", "names.csv", "--sample", "4", "-o", "x.svg", "--json", "two.txt/report.json"];
    expect((await pearl(report, options)).stderr).toMatch(
      /two\.txt\/report\.json: its folder is a file\. Choose another output name\.\n$/,
    );
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends at %s with code 130 and leaves no file", async (name) => {
    const cwd = mkdtempSync(join(folder, "stopped-"));
    const rows = Array.from({ length: 3000 }, (_, row) => `name ${row} of ${row % 97}`);
    writeFileSync(join(cwd, "names.txt"), rows.join("\n"));
    const { code, stderr } = await spawned(["plot", "names.txt"], {
      cwd,
      // the model is loaded then, and thousands of phrases are still to be encoded and projected
      onStart: (child) =>
        child.stderr?.on("data", (text) => /^model:/m.test(String(text)) && child.kill(name)),
    });
    expect(code).toBe(130);
    expect(stderr).toMatch(new RegExp(`pearl: interrupted by ${name}\n$`));
    expect(readdirSync(cwd)).toEqual(["names.txt"]);
  });
});
