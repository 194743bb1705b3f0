/** A picture's SVG file as a PNG file, with a font of its own: machines without fonts draw the same. */
import { createRequire } from "node:module";
import { MissingDataError, messageOf } from "../errors.js";

/** Pixels across: sharp on a slide. */
const pixels = 1920;

/** @throws MissingDataError where the renderer has no build for this platform */
export async function pngOf(svg: string): Promise<Buffer> {
  const { Resvg } = await import("@resvg/resvg-js").catch((error: unknown) => {
    throw new MissingDataError(
      `PNG files cannot be drawn on this platform (${messageOf(error)}). Write .svg or .html.`,
    );
  });
  const fonts = createRequire(import.meta.url);
  const fontFiles = ["DejaVuSans", "DejaVuSans-Bold"].map((name) =>
    fonts.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`),
  );
  const family = "DejaVu Sans";
  const picture = new Resvg(svg.replace(/ font-family="[^"]*"/, ` font-family="${family}"`), {
    fitTo: { mode: "width", value: pixels },
    // the system's fonts serve characters that DejaVu lacks, such as Chinese ones
    font: { fontFiles, loadSystemFonts: true, defaultFontFamily: family, sansSerifFamily: family },
  });
  return picture.render().asPng();
}
