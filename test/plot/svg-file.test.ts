/** The frame of a picture, for viewers with and without CSS variables. */
import { describe, expect, it } from "vitest";
import { headHeight, light, svgFile } from "../../src/plot/theme.js";

const picture = {
  title: 'Sales of "A & B"',
  notes: ["one <line>", 'and fill="var(--c0)" as words'],
  width: 100,
  height: 90,
  style: ".c0{fill:var(--c0)}.head{fill:var(--muted);font-size:9px}",
  body: `<path d="M0 0H9" fill="none" stroke="var(--c1)" fill-opacity=".5"/>
<text x="1" y="2" fill="var(--ink)" stroke="var(--background)">var(--rest) &gt; 3</text>`,
};
const svg = svgFile(picture);

describe("a picture's file", () => {
  it("gives each plain colour before its variable, in attributes and in rules", () => {
    const [c0, c1] = light.categories;
    expect(svg).toContain(
      `.c0{fill:${c0};fill:var(--c0)}.head{fill:${light.muted};fill:var(--muted);font-size:9px}`,
    );
    expect(svg).toContain(
      `<path d="M0 0H9" fill="none" fill-opacity=".5" style="stroke:${c1};stroke:var(--c1)"/>`,
    );
    expect(svg).toContain(
      `<text x="1" y="2" style="fill:${light.ink};fill:var(--ink);stroke:${light.background};stroke:var(--background)">`,
    );
    // a viewer without variables would paint such an attribute black
    expect(svg).not.toMatch(/<[^>]*="var\(/);
  });

  it("keeps texts, escaped", () => {
    expect(svg).toContain(">var(--rest) &gt; 3</text>");
    expect(svg).toContain(">Sales of &quot;A &amp; B&quot;</text>");
    expect(svg.match(/>and fill=&quot;var\(--c0\)&quot; as words<\/text>/g)).toHaveLength(1);
    expect(svg).toContain('<desc id="d">one &lt;line&gt; and fill=&quot;var(--c0)&quot; as words</desc>');
  });

  it("has its notes above the body, and follows the reader's dark mode", () => {
    const places = [...svg.matchAll(/<text x="20" y="(\d+)"/g)].map(([, y]) => Number(y));
    expect(places).toHaveLength(3);
    expect(Math.max(...places)).toBeLessThan(headHeight(picture.notes));
    expect(svg).toContain("prefers-color-scheme:dark");
  });
});
