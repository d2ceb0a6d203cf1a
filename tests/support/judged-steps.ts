import { assistant, episode, step, user } from '../trajectories/support.js';
import type { Workplace } from './workplace.js';

/** A verdict by the rubric of {@link writeRubric}. */
export const VERDICT = '{"clear": {"reason": "It is.", "score": 4}}';

/** Writes `rubric.yaml` with one criterion. */
export function writeRubric(place: Workplace): Promise<string> {
  return place.write(
    'rubric.yaml',
    'criteria: [{name: clear, description: Is the reply clear?, range: [1, 5]}]',
  );
}

/**
 * Writes what an experiment of that name left: so many episodes to be judged by `rubric.yaml`.
 * @param said what the user says in each step, before the names of experiment and episode
 * @param more of the command, after `judge NAME --rubric rubric.yaml`
 * @returns the command that judges them
 */
export async function writeJudged(
  place: Workplace,
  name: string,
  {
    episodes,
    said = ['judge'],
    more,
  }: { episodes: number; said?: readonly string[]; more: readonly string[] },
): Promise<string[]> {
  const rows = Array.from({ length: episodes }, (_, index) =>
    episode(`${index}`, [], {
      episode_id: `${name}-${index}/0`,
      timesteps: said.map((words) =>
        step([[user(`${words} ${name} ${index}`), assistant('Done.')]], { reward: 1 }),
      ),
    }),
  );
  await place.write(`results/${name}/trajectories.jsonl`, rows.map((row) => JSON.stringify(row)).join('\n'));
  return ['judge', name, '--rubric', 'rubric.yaml', ...more];
}
