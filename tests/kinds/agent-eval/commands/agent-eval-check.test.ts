import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkAgentEval } from '../../../../src/kinds/agent-eval/command.js';
import { agentEvalConfigWith } from '../../../config/agent-eval-support.js';
import { builtTrial } from '../../../support/built-code.js';
import { flightBundle, ROW } from '../bundles/support.js';

const user = { provider: 'simulated' };

async function fault({ models = {}, ...sections }: Record<string, unknown>): Promise<string> {
  const config = agentEvalConfigWith({ ...sections, models: { user, ...(models as object) } });
  return checkAgentEval(config, {}, builtTrial).then(
    () => 'nothing',
    (error: Error) => error.message,
  );
}

const alone = { ...ROW, id: 'alone', sim_user_prompt: null };

describe('before a server is started', () => {
  test('a bundle and models that can be used are fine', async () => {
    expect(await fault({ datasets: [flightBundle()], rows: [ROW.id] })).toBe('nothing');
  });

  test('a row that is not there is named, with the one that was meant', async () => {
    const datasets = [flightBundle()];
    expect(await fault({ datasets, rows: ['flight.booking.01'] })).toBe(
      `rows: there is no row 'flight.booking.01'; did you mean '${ROW.id}'?`,
    );
  });

  test('somebody has to be the user of a row that has one', async () => {
    const datasets = [flightBundle([alone, ROW])];
    expect(await fault({ datasets, models: { user: null } })).toContain(
      `user: nobody answers in the rows with a sim_user_prompt (${ROW.id})`,
    );
    expect(await fault({ datasets, models: { user: null }, rows: ['alone'] })).toBe('nothing');
    expect(await fault({ datasets, models: { user: 'human' } })).toBe('nothing');
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['of the agent', { models: { agent: { ...user, cache: true } } }, 'models.agent.cache'],
    ['of the user', { models: { user: { ...user, cache: true } } }, 'models.user.cache'],
  ])('a cache %s that rollouts of a row would share is refused', async (_whose, config, field) => {
    const datasets = [flightBundle([ROW])];
    expect(await fault({ datasets, ...config })).toBe(
      `${field}: with the cache, all 4 rollouts of a row would get the replies of the first one; set it to runs, or to false`,
    );
    expect(await fault({ datasets, ...config, rollouts: 1 })).toBe('nothing');
  });

  test('a cache is fine where runs share it, and one of a user who is never asked', async () => {
    const datasets = [flightBundle([alone, ROW])];
    const ofRuns = { agent: { ...user, cache: 'runs' }, user: { ...user, cache: 'runs' } };
    expect(await fault({ datasets, models: ofRuns })).toBe('nothing');
    const ofNobody = { user: { ...user, cache: true } };
    expect(await fault({ datasets, models: ofNobody, rows: ['alone'] })).toBe('nothing');
  });

  test('two bundles with a row of the same name are refused', async () => {
    const datasets = [flightBundle(), flightBundle()];
    expect(await fault({ datasets })).toContain(`datasets: the row '${ROW.id}' is in`);
  });

  test('what is wrong with a bundle is said with its file and line', async () => {
    const folder = flightBundle([{ ...ROW, max_turns: 0 }]);
    expect(basename(folder)).toMatch(/^reprise-bundle-/);
    expect(await fault({ datasets: [folder] })).toContain(`${join(folder, 'task.jsonl')} line 1`);
  });

  test.each([
    ['agent', 'models.agent.model'],
    ['user', 'models.user.model'],
  ])('a model of the %s without a key is refused', async (who, field) => {
    const message = await fault({ datasets: ['/'], models: { [who]: 'openai/x' } });
    expect(message).toMatch(new RegExp(`^${field.replaceAll('.', '\\.')}: .*OPENAI_API_KEY`));
  });
});
