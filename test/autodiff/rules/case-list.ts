/** Small graphs that check gradients by differences: what a case is, and lists of them. */
import type { DifferentiableOperator } from "../../../src/autodiff/rules.js";
import type { AttributeValue, GraphBuilder } from "../../../src/onnx/builder.js";

export interface Case {
  op: DifferentiableOperator;
  /** What is special about it. */
  title: string;
  /** Shapes of the weights x[0], x[1], ... */
  shapes: number[][];
  /** Adds the graph and returns its outputs; all of them enter the loss. */
  build(g: GraphBuilder, x: string[]): string | string[];
  /** Range of the random weights; default [-1, 1]. */
  range?: [number, number];
  /** float32 where ONNX Runtime's CPU has no double kernel, or keeps floats inside; default float64. */
  type?: "float32" | "float64";
  device?: "gpu";
  /** Default 17. */
  opset?: number;
}

export const positive = { range: [0.5, 2] as [number, number] };
export const float32 = { type: "float32" } as const;

/** The cases of one family of operators, and two ways to add one. */
export function caseList() {
  const cases: Case[] = [];

  /** A case that feeds its weights straight to the operator. */
  function direct(
    op: DifferentiableOperator,
    title: string,
    shapes: number[][],
    attributes: Record<string, AttributeValue> = {},
    rest: Partial<Case> = {},
  ): void {
    const [domain, name] = op.includes("::") ? op.split("::") : ["", op];
    cases.push({ op, title, shapes, build: (g, x) => g.add(name, x, attributes, { domain }), ...rest });
  }

  function built(
    op: DifferentiableOperator,
    title: string,
    shapes: number[][],
    build: Case["build"],
    rest: Partial<Case> = {},
  ): void {
    cases.push({ op, title, shapes, build, ...rest });
  }

  return { cases, direct, built };
}
