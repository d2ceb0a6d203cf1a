import { cp, readFile, symlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  evolveMetricsOf,
  examplesText,
  experimentOf,
  finished,
  ownScorerConfig,
} from '../support/evolutions.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { readLines, sumsConfig, unfolded, until, untilIn, Workplace } from '../support/workplace.js';

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

const SUMMING_AGENT = `
import { appendFile } from 'node:fs/promises';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { modelOf } from './model.js';
export default class Summing {
  constructor({ config, languageModel }) {
    Object.assign(this, { config, languageModel });
  }
  async act(prompt) {
    const add = tool({
      inputSchema: jsonSchema({ type: 'object', properties: { left: { type: 'string' }, right: { type: 'string' } } }),
      execute: async ({ left, right }) => {
        const { status } = await fetch(this.config.service);
        await appendFile(new URL('./added.log', import.meta.url), left + ' ' + right + ' ' + status + '\\n');
        return { sum: String(Number(left) + Number(right)) };
      },
    });
    const { text } = await generateText({
      model: modelOf(this.languageModel), prompt, tools: { add }, stopWhen: stepCountIs(3), maxRetries: 0,
    });
    return text;
  }
}
`;

const FAILING_ENV = `import { QAEnv, type ResetOutcome } from 'reprise';
export class FailingEnv extends QAEnv {
  override reset(): ResetOutcome {
    if (this.task.id === 'sum-1') throw new RangeError('no such level');
    return super.reset();
  }
}
`;

const FAILING_AGENT = `import { MemoryAgent, type EpisodeInfo } from 'reprise';
export default class Failing extends MemoryAgent {
  override reset(episode: EpisodeInfo): void {
    super.reset(episode);
    if (episode.sample_id === 'sum-2') throw new RangeError('not this one');
  }
  override async observe(...heard: Parameters<MemoryAgent['observe']>): Promise<void> {
    await super.observe(...heard);
    this.memory.update({ _type: 'Summary', content: this.episode.sample_id });
    if (this.episode.sample_id === 'sum-3') this.memory.update({ note: 'x' } as never);
  }
}
`;

const PROMISING_AGENT = `import { MemoryAgent, type EpisodeInfo } from 'reprise';
export default class Promising extends MemoryAgent {
  override async reset(episode: EpisodeInfo): Promise<void> {
    super.reset(episode);
    if (episode.sample_id === 'sum-1') throw new RangeError('not ready');
  }
  private async note(what: string): Promise<void> {
    throw new RangeError(what);
  }
  override async act(observation: string): Promise<string> {
    const { sample_id } = this.episode;
    if (sample_id === 'sum-2') this.note('no pencil');
    if (sample_id === 'sum-3') ['a', 'b'].forEach(async (name) => this.note(name));
    if (sample_id === 'sum-4') {
      const [first, second] = [super.act(observation), this.note('no second')];
      const text = await first;
      await second;
      return text;
    }
    return super.act(observation);
  }
}
`;

/** A reply of a scaffolder; no two are the same. */
const echoScaffold = (number: number) =>
  `\`\`\`python file=scaffold.py\ndef process_input(text):\n    return text + "${number}"\n\`\`\``;

const withoutPython = mustSkipPython(await findPython());

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

  it('an agent from a file, with fields of its own', async () => {
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

  it('an agent of the AI SDK, with node:fs and fetch, outlives its worker', async () => {
    await symlink(resolve('node_modules'), place.path('node_modules'));
    await cp(resolve('examples/ai-sdk-agent/model.ts'), place.path('own/model.ts'));
    await place.write('own/summing-agent.ts', SUMMING_AGENT);
    const adding = await startFakeProvider('openai', {
      reply: ({ body }) => {
        const last = body.messages.at(-1);
        if (last.role === 'tool') return { text: JSON.parse(last.content).sum };
        const [left, right] = String(last.content).match(/\d+/g) ?? [];
        return { toolCalls: [{ name: 'add', arguments: { left, right } }] };
      },
    });
    adding.latencyMs = 300;
    const agent = { type: 'summing', file: 'own/summing-agent.ts', service: `${provider.baseUrl}/none` };
    await place.write('summing.yaml', sumsConfig(adding.baseUrl, 12, { name: 'summing', agent }));
    const elsewhere = { REPRISE_SERVER_DIR: place.path('.summing') };
    const running = place.start(['run', 'summing.yaml'], elsewhere);
    await until('tools have run', () => adding.statistics.finished >= 10);
    await place.kill(running);
    const { finished: before } = adding.statistics;
    expect(before).toBeLessThan(24);
    const { code, stderr } = await place.reprise(['run', 'summing.yaml'], elsewhere);
    expect(code, stderr).toBe(0);
    expect(await place.metrics('summing')).toMatchObject({ correct: 12, errors: 0, lm_calls: 24 });
    // None whose reply was there is asked again; up to eight were on their way.
    expect(adding.statistics.finished).toBeLessThanOrEqual(24 + 8);
    const rows = await readLines<{ ordinal: number; tools?: unknown[] }>(
      place.path('results', 'summing', 'calls.jsonl'),
    );
    expect(rows.filter(({ ordinal }) => ordinal === 1)).toHaveLength(12);
    expect(rows.every(({ tools }) => tools?.length === 1)).toBe(true);
    await adding.close();
  });

  it('what throws is an error row with its place, and no other sample suffers', async () => {
    await place.write('own/failing-env.ts', FAILING_ENV);
    await place.write('own/failing-agent.ts', FAILING_AGENT);
    const { dataset } = sumsConfig(provider.baseUrl, 5) as { dataset: object };
    const config = sumsConfig(provider.baseUrl, 5, {
      name: 'failing',
      dataset: { ...dataset, task_type: 'custom', env_class: 'FailingEnv', env_file: 'own/failing-env.ts' },
      agent: { type: 'failing', file: 'own/failing-agent.ts' },
      // The entries are carried from sample to sample, and saved.
      runtime: { memory_scope: 'run' },
    });
    await place.write('failing.yaml', config);
    const { code, stderr, stdout } = await place.reprise(['run', 'failing.yaml']);
    expect(code, stderr).toBe(0);
    expect(unfolded(stdout)).toMatch(/warnings +│ 1, the first: after step 1: the memory was given /);
    const rows = await place.rows('failing');
    expect(rows.map(({ reward }) => reward)).toEqual([1, null, null, 1, 1]);
    expect(rows.map(({ error }) => error?.message ?? null)).toEqual([
      null,
      'RangeError: no such level (failing-env.ts:4)',
      'not this one (failing-agent.ts:5)',
      null,
      null,
    ]);
    expect(rows[3]?.warnings).toEqual([
      expect.stringMatching(/^after step 1: the memory was given .* \(failing-agent\.ts:10\)$/),
    ]);
    const memory = JSON.parse(await readFile(place.path('results', 'failing', 'memory.json'), 'utf8'));
    const own = memory.entries.filter(({ _type }: { _type: string }) => _type === 'Summary');
    expect(own.map(({ content }: { content: string }) => content)).toEqual(['sum-0', 'sum-3', 'sum-4']);
  });

  it('a promise that an agent does not await fails no run', async () => {
    await place.write('own/promising.ts', PROMISING_AGENT);
    const agent = { type: 'promising', file: 'own/promising.ts' };
    const runtime = { memory_scope: 'sample' };
    await place.write(
      'promising.yaml',
      sumsConfig(provider.baseUrl, 6, { name: 'promising', agent, runtime }),
    );
    const { code, stderr } = await place.reprise(['run', 'promising.yaml']);
    expect(code, stderr).toBe(0);
    const rows = await place.rows('promising');
    expect(rows.map(({ error }) => error?.message ?? null)).toEqual([
      null,
      'not ready (promising.ts:5)',
      null,
      null,
      'no second (promising.ts:8)',
      null,
    ]);
  });

  it('a run continues with the file that it began with, whichever worker comes, and tells of an edit', async () => {
    const failingAt = (id: string) => FAILING_ENV.replace("'sum-1'", `'${id}'`);
    await place.write('own/edited.ts', failingAt('sum-4'));
    const { dataset } = sumsConfig(provider.baseUrl, 6) as { dataset: object };
    const own = { ...dataset, task_type: 'custom', env_class: 'FailingEnv', env_file: 'own/edited.ts' };
    const config = { name: 'edited', dataset: own, runtime: { concurrency: 1 } };
    await place.write('edited.yaml', sumsConfig(provider.baseUrl, 6, config));
    const { calls } = provider.statistics;
    let release = () => {};
    provider.intercept = ({ number }) => {
      if (number === calls + 2) release = provider.hold();
      return undefined;
    };
    const first = place.start(['run', 'edited.yaml']);
    await until('the second call is asked', () => provider.statistics.calls >= calls + 2);
    await place.write('own/edited.ts', failingAt('sum-5'));
    const told =
      'own/edited.ts has changed since edited began: it continues with the code that it began with.';
    const second = place.start(['run', 'edited.yaml']);
    await untilIn(second, 'it tells of the change', () => second.output().includes(told));
    await place.kill(first);
    provider.intercept = undefined;
    release();
    const { code, stdout, stderr } = await second.done;
    expect(code, stdout + stderr).toBe(0);
    const failed = (await place.rows('edited')).filter(({ error }) => error !== null);
    expect(failed.map(({ id }) => id)).toEqual(['sum-4']);
    const { code_changes } = await place.metrics('edited');
    expect(code_changes).toBeUndefined();
    const report = await readFile(place.path('results', 'edited', 'report.html'), 'utf8');
    expect(report).not.toContain('More than one version of the code');
  });

  it.skipIf(withoutPython)(
    'an edited scorer is told of where an evolution is continued with it, and in the end',
    async () => {
      const scorer = (score: number) => `export const score = () => ({ score: ${score}, message: 'so' });\n`;
      await place.write('own/score.ts', scorer(0.25));
      await place.write('examples.jsonl', examplesText([{ id: '0', input: 'a', target: 1 }]));
      const data = { train: 'examples.jsonl', valid: 'examples.jsonl' };
      const evolution = { num_iterations: 3, num_validation_examples: 1 };
      await place.write('scored.yaml', ownScorerConfig(provider.baseUrl, data, evolution));
      const evolve = () => place.start(['evolve', 'scored.yaml', '--results-dir', 'experiments']);
      const { calls } = provider.statistics;
      let release = () => {};
      provider.intercept = ({ number }) => {
        if (number === calls + 2) release = provider.hold();
        return { kind: 'reply', text: echoScaffold(number) };
      };
      const begun = evolve();
      await until('the second call is asked', () => provider.statistics.calls >= calls + 2);
      expect((await place.reprise(['stop', 'scored'])).code).toBe(0);
      release();
      await begun.done;
      const folder = await experimentOf(place, 'scored');
      const { iterations: before } = await evolveMetricsOf(folder);
      await place.write('own/score.ts', scorer(0.5));
      const output = await finished(evolve());
      provider.intercept = undefined;

      expect(output).toContain(
        'own/score.ts has changed since scored began: what is done stays as it is, and the rest continues with the new code.',
      );
      const { code_changes, best } = await evolveMetricsOf(folder);
      expect(code_changes).toEqual([
        { at: expect.any(String), iterations: before, modules: ['own/score.ts'] },
      ]);
      expect(best?.score).toBe(0.5);
      expect(unfolded(output)).toContain(`own/score.ts, after ${before} of the iterations`);
    },
  );

  it('an agent’s file that cannot be loaded ends the run at once, and says why', async () => {
    const source = `import { MemoryAgent } from 'reprise';\nneed();\nexport default class extends MemoryAgent {}\n`;
    await place.write('own/throws.ts', source);
    const agent = { type: 'throws', file: 'own/throws.ts' };
    await place.write('throws.yaml', sumsConfig(provider.baseUrl, 3, { name: 'throws', agent }));
    const { calls } = provider.statistics;
    const { code, stdout, stderr } = await place.reprise(['run', 'throws.yaml']);
    expect(`${stdout}${stderr}`).toMatch(
      /agent\.file: .*throws\.ts cannot be loaded: need is not defined \(throws\.ts:2\)/,
    );
    expect(code).toBe(2);
    // Once it is mended, the same command runs it.
    await place.write('own/throws.ts', source.replace('need();', ''));
    expect((await place.reprise(['run', 'throws.yaml'])).code).toBe(0);
    expect(provider.statistics.calls - calls).toBe(3);
  });
});
