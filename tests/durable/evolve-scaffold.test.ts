import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/contracts/language-model.js';
import { evolveMetricsOf, experimentOf, finished } from '../support/evolutions.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { readLines, Workplace } from '../support/workplace.js';

const SCORER = `/** Share of the words that are right, in their places. */
export function score(output: string, example: { scoring_data: { target: string } }) {
  const wanted = example.scoring_data.target.split(' ');
  const right = wanted.filter((word, index) => output.split(' ')[index] === word).length;
  return { score: right / wanted.length, message: \`\${right} of \${wanted.length} words are in place\`, metrics: { right } };
}
`;

const program = (...lines: string[]) =>
  [
    '```python',
    'from llm_executor import execute_llm',
    'import sys',
    'def process_input(text):',
    ...lines,
    '```',
  ].join('\n');
/** Says the input again, and prints to both streams. */
const ECHO = program(
  "    print('echo of', text)",
  "    print('no idea', file=sys.stderr)",
  '    return text',
);
/** Lets its model sort. */
const SORTING = program("    return execute_llm('Sort: ' + text)");

const rows = (prefix: string, inputs: readonly string[]) =>
  inputs
    .map((input, index) =>
      JSON.stringify({ id: `${prefix}${index}`, input, target: input.split(' ').sort().join(' ') }),
    )
    .join('\n');

const skip = mustSkipPython(await findPython());

describe.skipIf(skip)('an evolution with a scorer of one’s own, and what is saved of it', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let folder: string;
  let told: string;
  const environment = { OPENAI_API_KEY: 'key' };

  beforeAll(async () => {
    provider = await startFakeProvider('openai', {
      reply: ({ lastUserText }) => {
        const [, words] = /^Sort: (.*)$/.exec(lastUserText) ?? [];
        if (words !== undefined) return words.split(' ').sort().join(' ');
        return lastUserText.includes('## The scaffold so far') ? SORTING : ECHO;
      },
    });
    place = await Workplace.make();
    await place.write('score.ts', SCORER);
    await place.write('train.jsonl', rows('t', ['b a', 'd c', 'f e']));
    await place.write('valid.jsonl', rows('v', ['zebra yak', 'quail panda']));
    const lm = (model: string) => ({ model: `openai/${model}`, base_url: provider.baseUrl });
    await place.write('own.yaml', {
      task_prompt: 'Sort the words.',
      domain: 'score.ts',
      data: { train: 'train.jsonl', valid: 'valid.jsonl' },
      evolution: {
        num_iterations: 1,
        initial_scaffolds: 2,
        scaffolds_per_iter: 1,
        num_validation_examples: 2,
      },
      models: { scaffolder: lm('writer'), executor: lm('helper') },
      scaffolder: { feedback: { num_examples: 1 } },
      sandbox: { type: 'process' },
      timeout_sec: 20,
    });
    told = await finished(await place.start(['evolve', 'own.yaml'], environment));
    folder = await experimentOf(place, 'own');
  }, 180_000);
  afterAll(async () => {
    await place?.dispose();
    await provider?.close();
  });

  it('tells the scaffolder what the scorer says, what was printed, and what is installed', async () => {
    const calls = await readLines<CallRecord>(join(folder, 'calls.jsonl'));
    const evolving = calls.filter(({ purpose }) => purpose === 'evolve');
    expect(evolving).toHaveLength(1);
    const prompt = evolving[0]?.messages.at(-1)?.content ?? '';
    // Once for the run on the parent's example, and once for the one of the feedback.
    expect(prompt.match(/The scorer says:\n```\n0 of 2 words are in place\nright: 0\n```/g)).toHaveLength(2);
    expect(prompt.match(/Printed:\n```\necho of /g)).toHaveLength(2);
    expect(prompt.match(/Execution log:\n```\nno idea\n```/g)).toHaveLength(2);
    const { python } = JSON.parse(await readFile(join(folder, 'metadata.json'), 'utf8'));
    expect(prompt).toContain(`- Python ${python.version} with its standard library`);
    const prompts = calls.filter(({ purpose }) => purpose !== 'executor').map(({ messages }) => messages);
    expect(JSON.stringify(prompts)).not.toMatch(/zebra|quail|reprise-code-/);
  });

  it('has another try for the scaffold that says the same, and says what begins', () => {
    expect(told).toMatch(/\[Iteration 0\] Warning: scaffold 1 is skipped after 3 tries: .*scaffold 0/);
    expect(told).toContain('[Iteration 0] begins, of 1: 2 scaffolds to write');
    expect(told).toContain('[Iteration 1] begins, of 1: 1 new scaffold to validate, 1 to evolve');
    expect(told).toContain('[Iteration 1] Validating 1 scaffold on 2 examples: 0');
    expect(told).toContain('[Closing] begins: 1 new scaffold to validate');
    expect(told).not.toMatch(/iteration 2 of 1/i);
  });

  it('averages what the scorer measures', async () => {
    const { best } = await evolveMetricsOf(folder);
    expect(best).toMatchObject({ id: '0-0', score: 1, metrics: { right: 2 } });
    expect(told).toMatch(/│ right +│ 2, of the same scaffold/);
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain('right, newest');
    const executions = await readLines<{ metrics: object; message: string }>(
      join(folder, 'executions.jsonl'),
    );
    expect(executions[0]).toMatchObject({ message: '0 of 2 words are in place', metrics: { right: 0 } });
  });

  it('runs its best program with the model that it was evolved with, and records the calls', async () => {
    const ran = await place.reprise(['scaffold', 'run', 'own', '--input', 'c a b'], environment);
    expect(ran).toMatchObject({ code: 0, stdout: 'a b c\n' });
    expect(ran.stderr).toContain('1 call of openai/helper');
    const [call] = await readLines<CallRecord>(place.path('scaffold-calls.jsonl'));
    expect(call).toMatchObject({ purpose: 'executor', text: 'a b c' });
    const other = await place.reprise(
      ['scaffold', 'run', folder, '--scaffold', '0', '--data', 'valid.jsonl', '--data', 'train.jsonl'],
      environment,
    );
    expect(other.code).toBe(0);
    const lines = other.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatchObject({
      id: 'v0',
      output: 'zebra yak',
      status: 'ok',
      stdout: 'echo of zebra yak\n',
    });
  });

  it('scores it as its experiment does, and keeps to limits on calls', async () => {
    const scored = await place.reprise(['scaffold', 'score', 'own', '--json'], environment);
    expect(scored.code, scored.stderr).toBe(0);
    expect(JSON.parse(scored.stdout)).toMatchObject({
      examples: 2,
      unscored: 0,
      score: 1,
      metrics: { right: 2 },
    });
    const before = provider.requests.length;
    const words = ['scaffold', 'score', 'own', '--data', 'train.jsonl', '--set', 'limits.max_lm_calls=2'];
    const limited = await place.reprise([...words, '--json'], environment);
    expect(limited.code).toBe(1);
    expect(JSON.parse(limited.stdout)).toMatchObject({ examples: 3, unscored: 1, score: 1 });
    expect(provider.requests).toHaveLength(before + 2);
  });

  it('runs a copy of best/ anywhere, by the model of its metadata.json', async () => {
    await cp(join(folder, 'best'), place.path('copy'), { recursive: true });
    const words = ['scaffold', 'run', 'copy', '--input', 'b a', '--set', 'sandbox=process'];
    const address = `models.executor.base_url=${provider.baseUrl}`;
    const ran = await place.reprise([...words, '--set', address], environment);
    expect(ran).toMatchObject({ code: 0, stdout: 'a b\n' });
    expect(ran.stderr).toContain('1 call of openai/helper');
    const bare = await place.reprise([...words, '--executor-model', 'none'], environment);
    expect(bare.code).toBe(1);
    expect(bare.stderr).toContain('there is no language model for this program');
    const unscored = await place.reprise(['scaffold', 'score', 'copy', '--data', 'valid.jsonl'], environment);
    expect(unscored).toMatchObject({ code: 2, stderr: expect.stringContaining('--domain') });
  });

  it.each([
    [['run', 'nowhere', '--input', 'x'], "there is no experiment 'nowhere'"],
    [['run', 'own'], '--input: give one input'],
    [['run', 'own', '--scaffold', '7', '--input', 'x'], 'has no program of a scaffold 7'],
    [['run', './', '--input', 'x'], 'holds neither a scaffold'],
    [['run', 'own', '--input', 'x', '--set', 'evolution.seed=1'], "unknown field 'evolution'"],
    [['score', 'own', '--set', 'limits.max_wall_seconds=5'], 'timeout_sec bounds each execution'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await place.reprise(['scaffold', ...words], environment);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
