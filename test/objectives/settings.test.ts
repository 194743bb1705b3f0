import { describe, expect, it } from "vitest";
import { ntXent } from "../../src/nn/losses.js";
import { createNet, fromSeed } from "../../src/nn/net.js";
import { type ObjectiveSettings, settingsOf } from "../../src/objectives/objective.js";
import { type ObjectiveName, objectiveLoss, objectives } from "../../src/objectives/registry.js";

const settings = (name: ObjectiveName, given?: ObjectiveSettings) =>
  settingsOf(name, objectives[name], given);

describe("settings of an objective", () => {
  it("are its defaults, with the given ones in their place", () => {
    expect(settings("triplet")).toEqual({ margin: 0.2, mining: "semi-hard" });
    expect(settings("triplet", { mining: "all" })).toEqual({ margin: 0.2, mining: "all" });
    expect(settings("regression")).toEqual({});
  });

  it("that it does not have, and wrong values, are refused with the right ones", () => {
    expect(() => settings("sup-con", { margin: 1 })).toThrow(
      "the objective sup-con has no setting margin. Its settings: temperature, form.",
    );
    expect(() => settings("regression", { margin: 1 })).toThrow("no setting margin. It has none.");
    expect(() => settings("sup-con", { form: "both" })).toThrow("must be out or in, not both");
    expect(() => settings("sup-con", { temperature: "hot" })).toThrow("a number above 0, not hot");
    expect(() => settings("nt-xent", { temperature: 0 })).toThrow("a number above 0, not 0");
    expect(() => settings("gaussian", { epsilon: 0 })).toThrow("a number above 0, not 0");
    expect(() => settings("debiased", { prior: 1 })).toThrow("at least 0 and below 1, not 1");
    expect(() => settings("triplet", { margin: Number.NaN })).toThrow("a number of at least 0, not NaN");
  });
});

it("nt-xent adds the nodes of the loss in nn, and nothing else", () => {
  const graphOf = (add: (net: ReturnType<typeof createNet>) => string) => {
    const net = createNet(fromSeed(0));
    net.g.input("anchors", "float32", ["pairs", 4]);
    net.g.input("positives", "float32", ["pairs", 4]);
    net.g.input("classes", "int32", ["rows"]);
    net.g.output("loss", add(net));
    return net.g.model().graph;
  };
  const rows = { anchors: "anchors", positives: "positives" };
  const own = graphOf((net) =>
    objectiveLoss(net, { ...rows, classes: "classes", width: 4 }, { name: "nt-xent" }),
  );
  expect(own).toEqual(graphOf((net) => ntXent(net, { ...rows, groups: "classes" }, { temperature: 0.07 })));
});
