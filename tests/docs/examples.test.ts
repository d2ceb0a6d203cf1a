import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import MajorityAgent from '../../examples/own-agent/majority-agent.js';
import { FactorisationEnv } from '../../examples/own-environment/factorisation-env.js';
import { fencesOf } from './markdown.js';

const run = promisify(execFile);

describe('FactorisationEnv', () => {
  const task = { index: 0, id: 'n', question: '12', target: null, metadata: {} };
  const services = { compareSymbolically: async () => undefined };
  const environment = (options = {}, question = '12') =>
    new FactorisationEnv({ ...task, question }, { options }, services);

  test.each([
    ['2 * 2 * 3', true, 'Right.'],
    ['Let me see: 4 * 3 is 12.\n3 * 2 * 2', true, 'Right.'],
    ['4 * 3', false, '4 is not a prime.'],
    ['2 * 3', false, 'The product is 6, not 12.'],
    ['twelve', false, 'The last line holds no numbers.'],
    ['', false, 'The last line holds no numbers.'],
  ])('judges %j by arithmetic', (action, correct, message) => {
    const { state } = environment().reset();
    expect(environment().step(state, action)).toMatchObject({
      done: correct,
      obs: correct ? null : `${message} Try again.`,
      feedback: { correct, message },
    });
  });

  test('ends after the last attempt, and pays a later success less', () => {
    const second = environment({ max_attempts: 2 }).step({ attempts: 1 }, '5');
    expect(second).toMatchObject({ done: true, obs: null, reward: 0 });
    expect(environment().step({ attempts: 1 }, '2 * 2 * 3')).toMatchObject({ done: true, reward: 0.5 });
  });

  test('names the field of a wrong option, and of a row without a number', () => {
    expect(() => environment({ max_attempts: 0 }).validate()).toThrow('dataset.env_options.max_attempts');
    expect(() => environment({}, 'twelve').validate()).toThrow('dataset.input_field');
  });
});

describe('MajorityAgent', () => {
  function agentWith(replies: string[], votes?: number) {
    const asked: string[] = [];
    const languageModel = {
      generate: async ({ purpose }: { purpose: string }) => {
        asked.push(purpose);
        return { text: replies[asked.length - 1] ?? '', finish_reason: 'stop' as const };
      },
    };
    const memory = { update: () => undefined, recall: () => [], snapshot: () => ({ _type: 'history_list' }) };
    const codeExecutor = {
      execute: async () => {
        throw new Error('this agent runs no code');
      },
    };
    const agent = new MajorityAgent({
      config: { system_prompt: null, votes },
      memory,
      languageModel,
      codeExecutor,
    });
    return { agent, asked };
  }

  test('answers with what most replies end with', async () => {
    const { agent, asked } = agentWith(['I think\n7', '8', 'It must be\n8']);
    expect(await agent.act('3 + 5?')).toBe('8');
    expect(asked).toEqual(['act', 'act', 'act']);
  });

  test('takes the earliest of equals', async () => {
    expect(await agentWith(['7', '8'], 2).agent.act('?')).toBe('7');
  });

  test('names the field of a wrong number of votes', () => {
    expect(() => agentWith([], 0)).toThrow('agent.votes');
  });
});

test('the program of docs/environments-and-agents.md runs', async () => {
  const fence = fencesOf('docs/environments-and-agents.md').find(({ language }) => language === 'ts');
  const folder = await mkdtemp(join(tmpdir(), 'reprise-docs-'));
  try {
    await writeFile(join(folder, 'try.ts'), fence?.content ?? '');
    // The paths that the package's `exports` give, for a file outside of the package.
    const alias = { 'reprise/in-process': resolve('dist/in-process/index.js') };
    const { stdout } = await run(
      process.execPath,
      ['node_modules/jiti/lib/jiti-cli.mjs', join(folder, 'try.ts')],
      { env: { ...process.env, JITI_ALIAS: JSON.stringify(alias) } },
    );
    expect(stdout).toContain('0.8');
    expect(stdout).toContain("'n-91: 0.5'");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
