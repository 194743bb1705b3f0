/** Matrix products and convolutions. */
import { caseList, float32 } from "./case-list.js";

const { cases, direct, built } = caseList();

direct("MatMul", "2-D", [
  [2, 3],
  [3, 4],
]);
direct("MatMul", "3-D by 2-D", [
  [2, 5, 3],
  [3, 4],
]);
direct("MatMul", "4-D by 4-D", [
  [2, 2, 3, 4],
  [2, 2, 4, 2],
]);
direct("MatMul", "2-D by 3-D, broadcast", [
  [2, 3],
  [4, 3, 2],
]);
direct("MatMul", "batches broadcast against each other", [
  [2, 1, 2, 3],
  [4, 3, 2],
]);
direct("MatMul", "axes of 1", [
  [1, 1, 3],
  [3, 1],
]);
direct("MatMul", "vector by vector", [[3], [3]]);
direct("MatMul", "vector by matrix", [[3], [3, 2]]);
direct("MatMul", "matrix by vector", [[2, 3], [3]]);
direct("MatMul", "batch by vector", [[4, 2, 3], [3]]);
direct("MatMul", "vector by batch", [[3], [4, 3, 2]]);
direct("MatMul", "an empty batch", [
  [0, 2, 3],
  [3, 4],
]);
for (const equation of ["bihd,bjhd->bhij", "bhij,bjhd->bihd", "bhij,bihd->bjhd"])
  built(
    "Einsum",
    equation,
    equation.startsWith("bihd")
      ? [
          [2, 3, 2, 4],
          [2, 5, 2, 4],
        ]
      : [
          [2, 2, 3, 5],
          [2, equation.includes("bjhd->") ? 5 : 3, 2, 4],
        ],
    (g, inputs) => g.add("Einsum", inputs, { equation }),
  );
built("MatMul", "by its own transpose", [[3, 4]], (g, [x]) => g.add("MatMul", [x, g.add("Transpose", [x])]));
for (const transA of [0, 1])
  for (const transB of [0, 1])
    direct(
      "Gemm",
      `transA ${transA}, transB ${transB}, alpha, beta`,
      [transA ? [3, 2] : [2, 3], transB ? [4, 3] : [3, 4], [4]],
      { transA, transB, alpha: 0.7, beta: 1.3 },
    );
direct("Gemm", "no bias", [
  [2, 3],
  [3, 4],
]);
direct("Gemm", "a column as bias", [
  [2, 3],
  [3, 4],
  [2, 1],
]);
direct("Gemm", "a whole matrix as bias", [
  [2, 3],
  [3, 4],
  [2, 4],
]);
direct("Conv", "plain", [[2, 3, 7], [4, 3, 3], [4]], {}, float32);
direct(
  "Conv",
  "padded",
  [
    [2, 3, 5],
    [2, 3, 3],
  ],
  { pads: [2, 1] },
  float32,
);
direct(
  "Conv",
  "dilated and padded",
  [
    [1, 2, 8],
    [2, 2, 3],
  ],
  { dilations: [2], pads: [1, 2] },
  float32,
);
for (const length of [7, 8, 9])
  direct(
    "Conv",
    `stride 3 on length ${length}`,
    [[2, 2, length], [3, 2, 3], [3]],
    { strides: [3], pads: [1, 1] },
    float32,
  );
direct(
  "Conv",
  "stride 2, dilation 2, uneven padding",
  [
    [2, 2, 9],
    [3, 2, 2],
  ],
  { strides: [2], dilations: [2], pads: [0, 3] },
  float32,
);
direct(
  "Conv",
  "width 1",
  [
    [2, 3, 4],
    [2, 3, 1],
  ],
  {},
  float32,
);

export { cases };
