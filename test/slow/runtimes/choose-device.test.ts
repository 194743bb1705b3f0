/** `--device auto` on a machine that seems to have a GPU (fake-webgpu.cjs), and on one without. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { runNode } from "../../cli/run-cli.js";
import { type FakeWebgpu, fakeWebgpu } from "../../runtime/fake-webgpu.js";
import { newFolder } from "../../setup/new-folder.js";

const module = new URL("../../../dist/runtime/devices/choose-device.js", import.meta.url).href;
const program = `
  import { chooseDevice } from "${module}";
  const lines = [];
  const places = [await chooseDevice("auto", (line) => lines.push(line)), await chooseDevice("auto")];
  console.log(JSON.stringify({ lines, places }));`;

async function choose(cache: string, fake: FakeWebgpu | "none", more: Record<string, string> = {}) {
  const environment = { XDG_CACHE_HOME: cache, ...(fake === "none" ? {} : fakeWebgpu(fake)), ...more };
  const { stdout, stderr } = await runNode(["--input-type=module", "-e", program], { environment });
  expect(stderr).toBe("");
  const { lines, places } = JSON.parse(stdout);
  expect(places[1]).toEqual(places[0]);
  return { lines, ...places[0] } as { lines: string[]; device: string; notes: string[] };
}

// the drivers of the machine, not those that the caller chose for other tests
for (const name of ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]) vi.stubEnv(name, undefined);

describe("--device auto", () => {
  it("takes the faster device, measures once, and again for another driver", async () => {
    const cache = newFolder();
    const path = join(cache, "pearl", "device.json");
    const first = await choose(cache, { delay: { cpu: 200 } });
    expect(first.device).toBe("webgpu");
    expect(first.lines).toHaveLength(1);
    expect(first.lines[0]).toMatch(
      /^device auto: webgpu, [\d.]+ ms a step \(cpu: [\d.]+ ms a step\), measured once, kept in (.*)$/,
    );
    expect(first.lines[0].endsWith(path)).toBe(true);
    expect(first.notes).toContainEqual(expect.stringMatching(/^cpu: [\d.]+ ms a step$/));
    // the kept answer holds, whatever a measurement would now give
    const second = await choose(cache, { delay: { webgpu: 200 } });
    expect(second).toEqual({ ...first, lines: [] });
    const driver = { VK_DRIVER_FILES: "/another/driver.json" };
    const third = await choose(cache, { delay: { webgpu: 200 } }, driver);
    expect(third.device).toBe("cpu");
    expect(third.lines[0]).toContain("device auto: cpu, ");
    expect(JSON.parse(readFileSync(path, "utf8")).machine.vulkan).toBe("/another/driver.json");
    writeFileSync(path, "{");
    expect((await choose(cache, { delay: { cpu: 200 } }, driver)).device).toBe("webgpu");
  });

  it("is not stopped by a driver's link that leads nowhere", async () => {
    const { NODE_OPTIONS } = fakeWebgpu({});
    const dangling = `
      import fs from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      const { readdirSync } = fs;
      fs.readdirSync = (path, ...more) =>
        path === "/etc/vulkan/icd.d" ? ["gone.json"] : readdirSync(path, ...more);
      syncBuiltinESMExports();`;
    const options = `${NODE_OPTIONS} --import data:text/javascript,${encodeURIComponent(dangling)}`;
    const cache = newFolder();
    const { device } = await choose(cache, { delay: { cpu: 200 } }, { NODE_OPTIONS: options });
    expect(device).toBe("webgpu");
    const { machine } = JSON.parse(readFileSync(join(cache, "pearl", "device.json"), "utf8"));
    expect(machine.vulkan).toContain("gone.json leads nowhere");
  });

  it("takes the CPU where the other device fails, and works without a cache folder", async () => {
    const file = join(newFolder(), "file");
    writeFileSync(file, "");
    const { device, lines, notes } = await choose(file, { failAt: 1, delay: { cpu: 200 } });
    expect(device).toBe("cpu");
    expect(notes).toContain("webgpu: device lost (a test)");
    expect(lines[0]).toMatch(/\(webgpu: device lost \(a test\)\), measured once, not kept \(/);
  });

  it("measures nothing and says nothing where only the CPU may work", async () => {
    const cache = newFolder();
    const { device, lines } = await choose(cache, "none", { PEARL_RUNTIME: "web" });
    expect(device).toBe("cpu");
    expect(lines).toEqual([]);
    expect(existsSync(join(cache, "pearl"))).toBe(false);
  });
});
