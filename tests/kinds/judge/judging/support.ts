import type { Rubric } from '../../../../src/kinds/judge/schema.js';

/** A rubric of two criteria. */
export function rubricWith(fields: Partial<Rubric> = {}): Rubric {
  return {
    name: 'manners',
    instructions: null,
    criteria: [
      { name: 'helpful', description: 'Does the reply help?', range: [1, 5] },
      { name: 'polite', description: 'Is it polite?', range: [0, 1] },
    ],
    success: null,
    show_reward: false,
    ...fields,
  };
}

/** A verdict on a last step that says of the whole episode as well. */
export function wholeVerdictText(success: unknown, reason: unknown = 'All was done.'): string {
  return JSON.stringify({ ...JSON.parse(verdictText()), whole_episode: { reason, success } });
}

/** A reply that is a verdict by {@link rubricWith}. */
export function verdictText(helpful: unknown = 4, polite: unknown = 1): string {
  return JSON.stringify({
    helpful: { reason: 'It helps.', score: helpful },
    polite: { reason: 'It says please.', score: polite },
  });
}
