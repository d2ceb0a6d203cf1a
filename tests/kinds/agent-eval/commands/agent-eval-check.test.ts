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
