/** The 32-bit FNV-1a hash (Fowler, Noll, Vo): hash = (hash ^ value) × prime, from the offset basis on. */
export const FNV_BASIS = 0x811c9dc5;
export const FNV_PRIME = 0x01000193;
