/** `--set name=value` has the names and the checks of a settings file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withAssigned } from "../../../src/methods/settings/choices.js";
import { presets, readPreset } from "../../../src/methods/settings/method-settings.js";
import { newFolder } from "../../setup/new-folder.js";

const scratch = presets["from-scratch"];

describe("withAssigned", () => {
  it.each<[string, string[]]>([
    ["epochs: 7\ntemperature: 5e-2", ["epochs=7", "temperature=5e-2"]],
    ["shape: { hidden: 96, layers: 1 }", ["shape.layers=1", "shape.hidden=96"]],
    ["characters: none\ntypes: none", ["characters=none", " types = none"]],
    ["schedule: { kind: constant }", ["schedule={kind: constant}"]],
    [
      "schedule: linear\nwarmUp: 0.1\nweightDecay: 0.01",
      ["schedule=linear", "warmUp=0.1", "weightDecay=0.01"],
    ],
    ["partLosses: { phrase: 1 }", ["partLosses.phrase=3", "partLosses.phrase=1"]],
    ["augmentPairs: { names: 0.5 }", ["augmentPairs.names=0.5"]],
  ])("gives what a file with %j gives", async (yaml, assignments) => {
    const path = join(newFolder(), "mine.yaml");
    writeFileSync(path, `preset: from-scratch\n${yaml}\n`);
    expect(withAssigned(scratch, assignments, "corpus")).toEqual(await readPreset(path));
  });

  it("changes one value of a schedule and leaves the others", () => {
    const { schedule } = withAssigned(scratch, ["schedule.warmUp=5"], "corpus");
    expect(schedule).toEqual({ kind: "warm-up-cosine-to-the-end", warmUp: 5, floor: 0.02 });
  });

  it.each([
    ["temprature=1", 'unknown setting "temprature". Did you mean temperature?'],
    ["partLosses.phras=1", 'unknown setting "partLosses.phras". Did you mean partLosses.phrase?'],
    ["objective=triplet", 'unknown setting "objective". Use base, shape, '],
    ["temperature=hot", 'the setting temperature must be a number above 0, not "hot"'],
    ["epochs=", "the setting epochs must be a whole number of at least 1, not null"],
    ["characters.width.x=3", "the setting characters.width must be a whole number of at least 1"],
    ["epochs", "Write name=value, such as temperature=0.05."],
    ["=3", "Write name=value"],
    ["shape={hidden", "the value is not YAML ("],
  ])("refuses %s by one line that begins with it", (assignment, says) => {
    const refused = () => withAssigned(scratch, [assignment], "corpus");
    expect(refused).toThrow(says);
    expect(refused).toThrow(/^--set [^\n]+$/);
  });

  it("knows the settings of a training on pairs, and no others", () => {
    const lines = [
      "clipNorm=1",
      "objectiveSettings.margin=0.3",
      "objectiveSettings.mining=all",
      "types=t.csv",
    ];
    expect(withAssigned({ dropout: 0.2 }, lines, "pairs")).toEqual({
      ...{ dropout: 0.2, clipNorm: 1, types: "t.csv", objectiveSettings: { margin: 0.3, mining: "all" } },
    });
    expect(() => withAssigned({}, ["anchors=3"], "pairs")).toThrow('unknown setting "anchors". Use epochs, ');
    expect(() => withAssigned({}, ["view=cut-off"], "pairs")).toThrow(
      'view must be dropout or cutoff or mixup or punctuation, not "cut-off"',
    );
  });
});
