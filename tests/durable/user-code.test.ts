import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { readLines, sumsConfig, Workplace } from '../support/workplace.js';

const PARITY = `
import { writeFile } from 'node:fs/promises';
import { Environment, finalStep, type StepOutcome, type ResetOutcome } from 'reprise';
import { isEven } from './helper.js';

/** Asks for more once, does I/O of its own, and breaks on demand. */
export class ParityEnv extends Environment {
  async reset(): Promise<ResetOutcome> {
    return { state: { asked: 0 }, obs: this.task.question };
  }
  async step(state: { asked: number }, action: string): Promise<StepOutcome> {
    if (this.task.metadata.broken === true) throw new Error('the environment is broken');
    if (state.asked === 0) {
      return {
        state: { asked: 1 }, obs: 'Are you sure? ' + this.task.question, done: false, info: {},
        feedback: { correct: false, target: '', message: 'asked again' },
      };
    }
    await writeFile(new URL('./seen-' + this.task.id, import.meta.url), action);
    const correct = isEven(Number(action)) === (this.task.target === 'even');
    return { state, obs: null, done: true, info: {}, reward: correct ? 0.5 : 0,
      feedback: { correct, target: this.task.target ?? '', message: 'judged' } };
  }
}
export const unused = finalStep;
`;

const SHOUTER = `
import { MemoryAgent } from 'reprise';
export default class Shouter extends MemoryAgent {
  async act(observation: string): Promise<string> {
    const reply = await this.languageModel.generate({
      purpose: 'act',
      messages: [{ role: 'user', content: this.config.prefix + observation }],
    });
    return reply.text + (this.config.suffix ?? '');
  }
}
`;

describe('a user’s own TypeScript', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai');
    await place.write('own/parity.ts', PARITY);
    await place.write(
      'own/helper.ts',
      'export const isEven = (value: number): boolean => value % 2 === 0;\n',
    );
    await place.write('own/shouter.ts', SHOUTER);
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  it('an environment from a file: several steps, I/O, a reward of its own, an error row', async () => {
    const config = sumsConfig(provider.baseUrl, 1, {
      name: 'parity',
      dataset: {
        items: [
          { id: 'a', question: 'What is 1 + 1?', answer: 'even', broken: false },
          { id: 'b', question: 'What is 1 + 2?', answer: 'even', broken: false },
          { id: 'c', question: 'What is 2 + 2?', answer: 'even', broken: true },
        ],
        task_type: 'custom',
        env_class: 'ParityEnv',
        env_file: 'own/parity.ts',
        meta_fields: ['broken'],
      },
    });
    await place.write('parity.yaml', config);
    const { code, stderr } = await place.reprise(['run', 'parity.yaml']);
    expect(stderr).not.toContain('rror:');
    expect(code).toBe(0);
    expect(await place.metrics('parity')).toMatchObject({ samples: 3, correct: 1, errors: 1, accuracy: 0.5 });
    const rows = await place.rows('parity');
    expect(rows[0]).toMatchObject({ action: '2', reward: 0.5, steps: 2 });
    expect(rows[0]?.step_records?.map(({ obs }) => obs)).toEqual([
      'What is 1 + 1?',
      'Are you sure? What is 1 + 1?',
    ]);
    expect(rows[2]?.error?.message).toContain('the environment is broken');
    expect(provider.statistics.calls).toBe(5);
  });

  it('an agent from a file, with fields of its own, runs in the workflow', async () => {
    const config = sumsConfig(provider.baseUrl, 4, {
      name: 'shouts',
      agent: { type: 'shouter', file: 'own/shouter.ts', prefix: 'PLEASE: ', suffix: '.' },
    });
    await place.write('shouts.yaml', config);
    const { code, stderr } = await place.reprise(['run', 'shouts.yaml']);
    expect(stderr).not.toContain('rror:');
    expect(code).toBe(0);
    expect(await place.metrics('shouts')).toMatchObject({ agent: 'shouter', samples: 4, correct: 4 });
    expect((await place.rows('shouts'))[1]?.action).toBe('8.');
    const calls = await readLines<{ messages: { content: string }[] }>(
      place.path('results', 'shouts', 'calls.jsonl'),
    );
    expect(calls[0]?.messages[0]?.content).toMatch(/^PLEASE: /);
  });

  it.each([
    ['own/missing.ts', 'ParityEnv', /dataset\.env_file: there is no file/],
    ['own/parity.ts', 'OtherEnv', /exports no environment class 'OtherEnv' \(it exports ParityEnv\)/],
    ['own/broken.ts', 'ParityEnv', /dataset\.env_file: .*broken\.ts cannot be loaded/],
  ])('says what is wrong with %s as %s', async (file, className, message) => {
    await place.write('own/broken.ts', 'export class {');
    const config = sumsConfig(provider.baseUrl, 1, {
      name: 'bad',
      dataset: { task_type: 'custom', env_class: className, env_file: file },
    });
    await place.write('bad.yaml', config);
    const { code, stderr } = await place.reprise(['run', 'bad.yaml']);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it('says what is wrong with an agent’s file', async () => {
    await place.write('own/no-agent.ts', 'export const nothing = 1;\n');
    const config = sumsConfig(provider.baseUrl, 1, {
      name: 'no-agent',
      agent: { type: 'nothing', file: 'own/no-agent.ts' },
    });
    await place.write('no-agent.yaml', config);
    const { code, stderr } = await place.reprise(['run', 'no-agent.yaml']);
    // The field: the file's name has the word in it as well.
    expect(stderr).toMatch(/\bagent\.(?:file|type): /);
    expect(code).toBe(2);
  });
});
