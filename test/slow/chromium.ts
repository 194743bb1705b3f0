/** Debian's Chromium for tests, and what they ask of every page. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";

const executablePath = "/usr/bin/chromium";
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** False, with the reason printed, where a test has no browser. */
export const hasChromium = existsSync(executablePath);
if (!hasChromium) console.log(`skipped: no ${executablePath} (apt-get install chromium)`);

/** Without requests of Chromium itself to its makers: what kind of form a page has, and its search engine's connection. */
export const startChromium = (...flags: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-features=AutofillServerCommunication,PreconnectToSearch", ...flags],
  });

/** WebGPU on Chromium's own SwiftShader: a Vulkan driver that runs on the CPU. */
export const swiftShader = [
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
] as const;

/** What axe-core finds wrong with a page for people who use assistive technology. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(axe, "utf8"));
  const found = await page.evaluate("axe.run()");
  return (found as { violations: { id: string; nodes: { html: string }[] }[] }).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`,
  );
}
