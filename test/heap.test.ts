import { expect, it } from "vitest";
import { Heap } from "../src/heap.js";
import { createRandom } from "../src/random.js";

it("gives items in order, while others are added and replaced", () => {
  const random = createRandom(3);
  const heap = new Heap<number>((a, b) => a < b);
  let items: number[] = [];
  for (let step = 0; step < 2000; step++) {
    const item = Math.floor(50 * random());
    const first = Math.min(...items);
    const kind = items.length > 0 ? random() : 1;
    if (kind < 0.3) {
      expect(heap.pop()).toBe(first);
      items.splice(items.indexOf(first), 1);
    } else if (kind < 0.5) {
      heap.replaceFirst(item);
      items[items.indexOf(first)] = item;
    } else {
      heap.push(item);
      items = [...items, item];
    }
    expect(heap.items.length).toBe(items.length);
    if (items.length > 0) expect(heap.items[0]).toBe(Math.min(...items));
  }
  while (heap.items.length > 0) heap.pop();
  expect(heap.pop()).toBeUndefined();
});
