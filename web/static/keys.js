// @ts-check
// The keys of the simulated board.

/** The keys of the board's buttons besides 1 to 8, which are the places.
 * @type {Record<string, string>} */
export const KEYS = {
  a: "ace",
  k: "king",
  q: "queen",
  j: "jack",
  t: "ten",
  m: "marriage",
  s: "sequence",
  p: "poch",
  c: "pinke",
  n: "next",
  u: "undo",
};
