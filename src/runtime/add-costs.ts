/** Adds US dollars; null if one of them is unknown. */
export function addCosts(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left + right;
}
