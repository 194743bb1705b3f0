/** A binary heap: the first of many items by an order, while items come and go. */

export class Heap<Item> {
  readonly #precedes: (left: Item, right: Item) => boolean;
  readonly #items: Item[] = [];

  /** @param precedes whether the left item comes before the right one; false for equal items */
  constructor(precedes: (left: Item, right: Item) => boolean) {
    this.#precedes = precedes;
  }

  /** All items, the first one at index 0, the others in no useful order. */
  get items(): readonly Item[] {
    return this.#items;
  }

  push(item: Item): void {
    const items = this.#items;
    let place = items.push(item) - 1;
    for (let up = (place - 1) >> 1; place > 0 && this.#precedes(item, items[up]); up = (place - 1) >> 1) {
      items[place] = items[up];
      place = up;
    }
    items[place] = item;
  }

  /** Removes the first item. */
  pop(): Item | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.replaceFirst(last);
    return first;
  }

  replaceFirst(item: Item): void {
    const items = this.#items;
    let place = 0;
    for (let child = 1; child < items.length; child = 2 * place + 1) {
      if (child + 1 < items.length && this.#precedes(items[child + 1], items[child])) child++;
      if (!this.#precedes(items[child], item)) break;
      items[place] = items[child];
      place = child;
    }
    items[place] = item;
  }
}
