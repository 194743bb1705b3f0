/** In a browser the scorer's weights are a part of the bundle. */

/** models/join-scorer/weights.json; scripts/build-web.mjs writes it here. */
declare const JOIN_SCORER: string;

export const scorerText = (): { readonly text: string; readonly place: string } => ({
  text: JOIN_SCORER,
  place: "the join's weights",
});
