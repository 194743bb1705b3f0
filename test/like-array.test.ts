/** Items that are made when they are asked for. */
import { expect, it } from "vitest";
import { likeArray } from "../src/like-array.js";

it("is read as an array is, and makes only what is asked for", () => {
  const made: number[] = [];
  const squares = likeArray(5, (place) => {
    made.push(place);
    return place ** 2;
  });
  expect([squares.length, squares[3], squares[5], squares[-1]]).toEqual([5, 9, undefined, undefined]);
  expect(made).toEqual([3]);
  expect([...squares]).toEqual([0, 1, 4, 9, 16]);
  expect(squares.slice(1, 3)).toEqual([1, 4]);
  expect(squares.map((square) => square + 1)).toEqual([1, 2, 5, 10, 17]);
  expect(squares.indexOf(16)).toBe(4);
  expect(JSON.stringify(squares)).toBe("[0,1,4,9,16]");
});
