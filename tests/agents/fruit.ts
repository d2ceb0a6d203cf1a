import type { ExperienceEntry } from '../../src/memory/entries.js';

/** Experiences of an earlier run about fruit, one correct and one wrong of each. */
export function fruit(...names: string[]): ExperienceEntry[] {
  return names.flatMap((name, number) =>
    [true, false].map(
      (correct): ExperienceEntry => ({
        _type: 'experience',
        obs: `How many seeds has the ${name}?`,
        action: `${correct ? 'right' : 'wrong'} about ${name}`,
        feedback: { correct, message: 'checked' },
        sample_id: `old ${number}`,
        trial: 0,
      }),
    ),
  );
}

/** A hybrid's memory.json. */
export const loaded = (experiences: ExperienceEntry[], cheatsheet = '') => ({
  _type: 'hybrid',
  cheatsheet,
  experiences: experiences as never,
});

/** The answers of a prompt's examples, in order. */
export function examples(prompt: string): string[] {
  return [...prompt.matchAll(/Answer that was given:\n(.*)\n/g)].map(([, answer = '']) => answer);
}
