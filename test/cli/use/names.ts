/** A small table with two pairs of names that mean the same, two that do not, and an empty name. */
export const names = `id,name,group
1,The New York Times,
2,Acme Inc.,x
3,"Acme, Inc",x
4,New York Times,daily
5,Season 2009,
6,Season 2010,
7,,`;
