/** Places in long lists: chosen ones, and where one is. */

/** The places below a length that are chosen, ascending: asked for twice, so that all of them are never in a list. */
export function chosenPlaces(length: number, isChosen: (place: number) => boolean): Int32Array {
  let count = 0;
  for (let place = 0; place < length; place++) if (isChosen(place)) count++;
  const places = new Int32Array(count);
  for (let place = length - 1; count > 0; place--) if (isChosen(place)) places[--count] = place;
  return places;
}

/** Says where a number is among ascending ones, -1 if it is none of them. Mostly numbers are asked for in order. */
export function finder(ascending: Int32Array): (wanted: number) => number {
  // The first that is not below the number that was asked for last.
  let place = 0;
  return (wanted) => {
    if (place > 0 && ascending[place - 1] >= wanted) place = 0;
    else if (ascending[place] < wanted) place++;
    if (ascending[place] < wanted) place = placeIn(place, ascending.length, (at) => ascending[at] < wanted);
    return ascending[place] === wanted ? place : -1;
  };
}

/** The first place of a range of which something is no longer so; the end if it is so of all. */
export function placeIn(from: number, to: number, isBefore: (place: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
