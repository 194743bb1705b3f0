/** The paper's settings beside ours. */
import { describe, expect, it } from "vitest";
import { departures } from "../../../src/methods/settings/departures.js";
import { presets } from "../../../src/methods/settings/method-settings.js";

const differing = (settings: Parameters<typeof departures>[0]) =>
  departures(settings).filter(({ because }) => because !== undefined);

describe("departures", () => {
  it("of pearl-small and pearl-base are their batch alone", () => {
    for (const name of ["pearl-small", "pearl-base"] as const)
      expect(differing(presets[name])).toEqual([
        {
          setting: "phrases in a batch",
          paper: "85 (512 embeddings)",
          here: "5 (30 embeddings)",
          because: expect.stringContaining("--set anchors=85 makes the paper's batch"),
        },
      ]);
  });

  it("give a reason of its own to every difference of from-scratch", () => {
    const found = differing(presets["from-scratch"]);
    expect(found.length).toBeGreaterThan(8);
    for (const { because } of found) expect(because).not.toMatch(/set by an option/);
  });

  it("say that a changed setting was set by the user, and why LOVE is untrained", () => {
    const settings = { ...presets["pearl-small"], temperature: 0.2, anchors: 85 };
    const found = differing({ ...settings, characters: { from: "love", width: 96 } });
    expect(found.map(({ setting, because }) => [setting, because])).toEqual([
      ["character encoder", expect.stringMatching(/pretrain-characters --vectors/)],
      ["phrases in a batch", "set by an option or a settings file"],
      ["temperature", "set by an option or a settings file"],
    ]);
  });
});
