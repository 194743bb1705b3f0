/** In a browser the files that come with pearl are a part of the bundle. */

/** By name; scripts/build-web.mjs writes them here. */
declare const DATA_FILES: Readonly<Record<string, string>>;

export const dataFile = (name: string): { readonly text: string; readonly place: string } => ({
  text: DATA_FILES[name],
  place: name,
});
