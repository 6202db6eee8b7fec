// @ts-check
// How light looks on a screen.

/** The gamma of screens: half of the light is written as 73 % of the number. */
const SEEN_POWER = 1 / 2.2;
const BRIGHTEN = 1.15;

/** How a pixel that emits this much light looks: its hue, and its brightness from 0 to 1.
 * @param {string} colour as `#rrggbb` */
export function glow(colour) {
  const light = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  const most = Math.max(...light);
  if (!most) return { hue: "#000000", brightness: 0 };
  const seen = light.map((part) => Math.round(255 * (part / most) ** SEEN_POWER));
  const hue = `#${seen.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  return { hue, brightness: Math.min(1, (most / 255) ** SEEN_POWER * BRIGHTEN) };
}
