/** The 32-bit FNV-1a hash (Fowler, Noll, Vo): hash = (hash ^ value) × prime, from the offset basis on. */
export const FNV_BASIS = 0x811c9dc5;
export const FNV_PRIME = 0x01000193;

/** The hash of a text's 16-bit units, or of a part of it. @param state hash of what comes before */
export function fnv(text: string, state = FNV_BASIS, from = 0, to = text.length): number {
  let hash = state;
  for (let place = from; place < to; place++) hash = Math.imul(hash ^ text.charCodeAt(place), FNV_PRIME);
  return hash;
}
