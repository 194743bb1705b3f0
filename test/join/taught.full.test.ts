import { describe, expect, it } from "vitest";
import { matchTables } from "../../src/join/match-tables.js";
import type { KnownPair } from "../../src/match/compare-tables.js";
import { createRandom } from "../../src/random.js";

const makers = ["Norvik", "Altera", "Bosco", "Kelmar", "Vantis"];
const things = [
  "desk lamp",
  "floor lamp",
  "ceiling fan",
  "wall clock",
  "kettle",
  "toaster",
  "radio",
  "mixer",
];
const colours = ["black", "white", "silver", "red"];

/**
 * 320 products, each listed by two sellers under other words. Only the model number tells products apart; colours differ in
 * half of the listings of one product.
 */
function made() {
  const random = createRandom(4);
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)];
  const products = Array.from({ length: 320 }, (_, at) => ({
    ...{ maker: pick(makers), thing: pick(things), colour: pick(colours) },
    model: `${String.fromCharCode(65 + (at % 7))}${100 + at}`,
  }));
  const left = {
    title: products.map(({ maker, thing, model, colour }) => `${maker} ${thing} ${model} ${colour}`),
    price: products.map((_, at) => `${20 + (at % 40)}`),
  };
  const listed = products.flatMap((product, at) =>
    [0, 1].map((seller) => {
      const colour = random() < 0.5 ? product.colour : pick(colours);
      const words =
        seller === 0 ? `${product.thing} by ${product.maker}` : `${product.maker} ${product.thing}`;
      return { at, title: `${words} ${product.model} ${colour} new`, price: `${20 + (at % 40) + seller}` };
    }),
  );
  const right = { title: listed.map(({ title }) => title), price: listed.map(({ price }) => price) };
  return { left, right, productOf: listed.map(({ at }) => at) };
}

const { left, right, productOf } = made();

/** Of each of the first right rows its product and two others. */
function answers(rows: number): KnownPair[] {
  return productOf
    .slice(0, rows)
    .flatMap((product, row) =>
      [0, 1, 7].map((step) => ({ left: (product + step) % 320, right: row, match: step === 0 })),
    );
}

describe("a join with hundreds of judged pairs", () => {
  const free = matchTables(left, right, { encoder: "none" });

  it("has the relation and the promise of pairs that were held out, and keeps it on those that nobody judged", async () => {
    const found = await (await free).withKnown(answers(120));
    expect(found.kind).toBe("many-to-one");
    expect(found.kindReason).toBe("the judged pairs that were held out fit it best");
    expect(found.promise.established).toBe(true);
    expect(found.promise.reason).toBe("from judged pairs held out");
    const unjudged = found.matches.filter(({ right }) => right >= 120);
    const isRight = unjudged.filter((pair) => productOf[pair.right] === pair.left);
    expect(isRight.length).toBeGreaterThan(0.9 * unjudged.length);
    expect(isRight.length).toBeGreaterThan(0.9 * (productOf.length - 120));
  });

  it("obeys the kind that was asked for", async () => {
    const found = await matchTables(left, right, {
      ...{ encoder: "none", kind: "one-to-one", known: answers(240).filter(({ right }) => right % 2 === 0) },
    });
    expect(found.kind).toBe("one-to-one");
    const rows = found.matches.map((pair) => pair.left);
    expect(new Set(rows).size).toBe(rows.length);
  });
});
