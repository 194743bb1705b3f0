import { expect, it } from "vitest";
import { chosenPlaces, finder, placeIn } from "../../../src/match/weights/chosen-places.js";
import { createRandom } from "../../../src/random.js";

it("finds numbers among ascending ones, in any order of asking", () => {
  const random = createRandom(5);
  const isChosen = Array.from({ length: 2000 }, () => random() < 0.3);
  const ascending = chosenPlaces(isChosen.length, (place) => isChosen[place]);
  expect([...ascending]).toEqual([...isChosen.keys()].filter((place) => isChosen[place]));
  const placeOf = finder(ascending);
  const asked = [
    ...Array.from({ length: 2100 }, (_, number) => number),
    ...Array.from({ length: 3000 }, () => Math.floor(2100 * random())),
  ];
  for (const number of asked) expect(placeOf(number)).toBe(ascending.indexOf(number));
  expect(finder(new Int32Array(0))(3)).toBe(-1);
});

it("finds where something ends among two billion places", () => {
  expect(placeIn(0, 2 ** 31 - 1, (place) => place < 1_900_000_000)).toBe(1_900_000_000);
});
