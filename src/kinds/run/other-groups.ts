import type { OtherGroups } from './results.js';

/** Adds up groups that are not listed. @param further those of them that were added up before */
export function otherGroups(
  groups: readonly Omit<OtherGroups, 'groups'>[],
  further: OtherGroups = { groups: 0, samples: 0, correct: 0, errors: 0 },
): OtherGroups {
  const others = { ...further, groups: further.groups + groups.length };
  for (const { samples, correct, errors } of groups) {
    others.samples += samples;
    others.correct += correct;
    others.errors += errors;
  }
  return others;
}
