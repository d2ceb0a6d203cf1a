/** True, false, or undecided. */
export type Decision = boolean | undefined;

/** Returns false if any result is false, true if all are true. */
export function every<T>(items: readonly T[], test: (item: T, index: number) => Decision): Decision {
  let result: Decision = true;
  for (const [index, item] of items.entries()) {
    const verdict = test(item, index);
    if (verdict === false) return false;
    if (verdict === undefined) result = undefined;
  }
  return result;
}

/** Returns true if any result is true, false if all are false. */
export function some<T>(items: readonly T[], test: (item: T, index: number) => Decision): Decision {
  let result: Decision = false;
  for (const [index, item] of items.entries()) {
    const verdict = test(item, index);
    if (verdict === true) return true;
    if (verdict === undefined) result = undefined;
  }
  return result;
}

/** Reports whether the members can be paired, each with an equal one. Equality is assumed to be transitive. */
export function samePairs<T>(
  left: readonly T[],
  right: readonly T[],
  equal: (a: T, b: T) => Decision,
): Decision {
  if (left.length !== right.length) return false;
  const free = [...right];
  let result: Decision = true;
  for (const item of left) {
    const verdicts = free.map((other) => equal(item, other));
    const match = verdicts.indexOf(true);
    if (match >= 0) free.splice(match, 1);
    else if (verdicts.includes(undefined)) result = undefined;
    else return false;
  }
  return result;
}

/** Reports whether each member has an equal one in the other list, repetitions ignored. */
export function sameMembers<T>(
  left: readonly T[],
  right: readonly T[],
  equal: (a: T, b: T) => Decision,
): Decision {
  return every(
    [
      () => every(left, (item) => some(right, (other) => equal(item, other))),
      () => every(right, (other) => some(left, (item) => equal(item, other))),
    ],
    (test) => test(),
  );
}
