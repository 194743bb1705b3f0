/** Items that are made when they are asked for, in place of an array that would hold them all. */

const made = new WeakSet<object>();

/** Whether {@link likeArray} made it. */
export const isLikeArray = (items: object): boolean => made.has(items);

/** The same items, each changed; those that are made when they are asked for stay so. */
export const mapped = <Item, Made>(items: readonly Item[], make: (item: Item) => Made): readonly Made[] =>
  isLikeArray(items)
    ? likeArray(items.length, (place) => make(items[place]))
    : items.map((item) => make(item));

/** What callers take for an array. @param at makes an item */
export function likeArray<Item>(length: number, at: (place: number) => Item): readonly Item[] {
  const placeOf = (key: string | symbol): number => {
    const place = typeof key === "symbol" || key === "" ? -1 : Number(key);
    return Number.isInteger(place) && place < length ? place : -1;
  };
  const items = new Proxy<Item[]>([], {
    get: (target, key) => {
      const place = placeOf(key);
      return place >= 0 ? at(place) : key === "length" ? length : Reflect.get(target, key);
    },
    has: (target, key) => placeOf(key) >= 0 || Reflect.has(target, key),
  });
  made.add(items);
  return items;
}
