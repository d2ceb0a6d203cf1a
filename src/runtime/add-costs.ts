/** US dollars; null as soon as one of them is not known. */
export function addCosts(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left + right;
}
