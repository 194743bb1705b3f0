/**
 * Labels beside marks, without overlaps. A page places its labels again whenever it zooms: it gets these functions as
 * source text, so they use nothing but their arguments.
 */

/** A mark and the width of its label, in pixels. */
export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly length: number;
}

interface Room {
  readonly width: number;
  readonly height: number;
  /** Labels at most. */
  readonly most: number;
  /** Above this many spots, labels may cover marks. */
  readonly crowd: number;
}

/** A label: the place of its spot in the list, the point where its text starts, or ends if `isLeft`. */
export interface PlacedLabel {
  readonly index: number;
  readonly x: number;
  readonly y: number;
  readonly isLeft: boolean;
}

/** Labels of spots with room on one of their sides; the first spots have precedence. */
export function placeLabels(spots: readonly Spot[], { width, height, most, crowd }: Room): PlacedLabel[] {
  const boxes: { left: number; right: number; y: number }[] = [];
  const labels: PlacedLabel[] = [];
  const isFree = (index: number, isLeft: boolean): boolean => {
    const { x, y, length } = spots[index];
    const left = isLeft ? x - 7 - length : x + 7;
    const box = { left: left - 6, right: left + length + 6, y };
    if (box.left < 0 || box.right > width || y < 13 || y > height - 13) return false;
    if (boxes.some((other) => box.left < other.right && other.left < box.right && Math.abs(y - other.y) < 26))
      return false;
    const covers = (spot: Spot, other: number): boolean =>
      other !== index && spot.x > box.left && spot.x < box.right && Math.abs(spot.y - y) < 11;
    if (spots.length <= crowd && spots.some(covers)) return false;
    boxes.push(box);
    return true;
  };
  for (let index = 0; index < spots.length && labels.length < most; index++) {
    const side = [false, true].find((isLeft) => isFree(index, isLeft));
    if (side === undefined) continue;
    const { x, y } = spots[index];
    labels.push({ index, x: side ? x - 7 : x + 7, y: y + 4, isLeft: side });
  }
  return labels;
}

/** The numbers below `count`, neighbours far apart: the first ones are spread over all. */
export function scattered(count: number): number[] {
  const hash = (index: number): number => (index * 2654435761) % 4294967296;
  return Array.from({ length: count }, (_, index) => index).sort((a, b) => hash(a) - hash(b));
}

/** A phrase short enough for a label. */
export function labelText(phrase: string): string {
  return phrase.replace(/^(.{29}).{2,}$/su, "$1…");
}
