/** The places below a length that are chosen, ascending: asked for twice, so that all of them are never in a list. */
export function chosenPlaces(length: number, isChosen: (place: number) => boolean): Int32Array {
  let count = 0;
  for (let place = 0; place < length; place++) if (isChosen(place)) count++;
  const places = new Int32Array(count);
  for (let place = length - 1; count > 0; place--) if (isChosen(place)) places[--count] = place;
  return places;
}
