/** The frame of a picture, light and dark, without CSS variables. */
import { describe, expect, it } from "vitest";
import { dark, headHeight, light, svgFile } from "../../src/plot/theme.js";

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
  it("has plain light colours, in attributes and in rules, and no variables", () => {
    const [c0, c1] = light.categories;
    expect(svg).toContain(`<style>\n.c0{fill:${c0}}.head{fill:${light.muted};font-size:9px}`);
    expect(svg).toContain(`<path d="M0 0H9" fill="none" stroke="${c1}" fill-opacity=".5"/>`);
    expect(svg).toContain(`<text x="1" y="2" fill="${light.ink}" stroke="${light.background}">`);
    // a viewer without variables would paint such an attribute or rule black
    expect(svg).not.toMatch(/<[^>]*="var\(|:var\(/);
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
    const [, inDark] = svg.split("@media (prefers-color-scheme:dark)");
    expect(inDark).toContain(
      `[fill="${light.ink}"]{fill:${dark.ink}}[stroke="${light.ink}"]{stroke:${dark.ink}}`,
    );
    expect(inDark).toContain(`.c0{fill:${dark.categories[0]}}`);
  });
});
