/** Places in long lists: chosen ones, and where one is. */

/** The places below a length that are chosen, ascending: asked for twice, so that all of them are never in a list. */
export function chosenPlaces(length: number, isChosen: (place: number) => boolean): Int32Array {
  let count = 0;
  for (let place = 0; place < length; place++) if (isChosen(place)) count++;
  const places = new Int32Array(count);
  for (let place = length - 1; count > 0; place--) if (isChosen(place)) places[--count] = place;
  return places;
}

/** Where a number is among ascending ones; -1 if it is none of them. */
export function foundIn(ascending: Int32Array, wanted: number): number {
  const place = placeIn(0, ascending.length, (at) => ascending[at] < wanted);
  return ascending[place] === wanted ? place : -1;
}

/** The first place of a range of which something is no longer so; the end if it is so of all. */
export function placeIn(from: number, to: number, isBefore: (place: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
