import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addKindCommand, readAsked } from '../../src/cli/experiment.js';
import { optionOf } from '../../src/config/flags.js';
import type { AgentEvalConfig } from '../../src/kinds/agent-eval/schema.js';
import type { CommandOptions } from '../../src/kinds/kind.js';
import { KINDS, loadKind } from '../../src/kinds/registry.js';
import { evaluationFolder } from '../config/agent-eval-support.js';
import { folderWith } from '../support/configs.js';

const LOADED = await Promise.all(KINDS.map(async ({ id }) => ({ id, loaded: await loadKind(id) })));

async function program(id: string): Promise<Command> {
  const made = new Command('reprise').exitOverride().configureOutput({ writeErr: () => undefined });
  addKindCommand(made, await loadKind(id), () => undefined);
  return made;
}

/** The message that a command line is refused with before anything starts. */
async function refusedWith(id: string, words: readonly string[]): Promise<string> {
  const parsing = (await program(id)).parseAsync([id, ...words], { from: 'user' });
  const error = (await parsing.catch((reason: unknown) => reason)) as Error;
  expect(error).toMatchObject({ name: 'InvalidInputError' });
  return error.message;
}

describe.each(LOADED)('reprise $id', ({ id, loaded: { kind, command } }) => {
  test('has its kind’s flags, its own options and those of every kind', async () => {
    const [made] = (await program(id)).commands;
    expect(made?.options.map(({ long }) => long)).toEqual([
      ...Object.values(kind.config.flags).map(optionOf),
      ...(command.options ?? []).map(([option]) => optionOf({ option })),
      '--set',
      '--detach',
      '--fail-on-error',
      '--json',
    ]);
  });

  test('refuses a share that does not say how it ends where nobody stays to the end', async () => {
    const words = ['x.yaml', '--detach', '--fail-on-error', '0.1'];
    expect(await refusedWith(id, words)).toContain('it cannot stand beside --detach');
  });

  test('refuses a file, or an experiment, that is not there', async () => {
    const message = await refusedWith(id, ['no-such.yaml']);
    expect(message).toMatch(/there is no such file|there is no finished experiment/);
  });
});

describe('reprise evolve', () => {
  const given =
    '--experiment-name x --scaffolder-model simulated/x --domain game24 --train-data no.jsonl --valid-data no.jsonl';
  test.each<[string, string]>([
    ['', 'the command line:'],
    [
      '--num-iterations many --set data.generate={}',
      'evolution.num_iterations: must be a number, not "many"',
    ],
    ['--at-iteration 3', 'fork.experiment: is missing; --fork names the experiment to begin from'],
    ['--fork x', 'fork.at_iteration: is missing; --at-iteration is the number of an iteration that x'],
    ['--fork x --at-iteration soon', 'fork.at_iteration: is soon; --at-iteration is the number'],
    ['--fork x --at-iteration 1 --results-dir /no/where', "fork: there is no experiment 'x' in /no/where"],
    [`${given} --task-prompt Solve.it`, 'task_prompt: there is no file at'],
  ])('%s is refused before anything starts: %s', async (line, message) => {
    expect(await refusedWith('evolve', line.split(' ').filter(Boolean))).toContain(message);
  });
});

describe('the command line of an evaluation', () => {
  /** The config that these words mean. */
  async function configOf(words: string[]): Promise<AgentEvalConfig> {
    const loaded = await loadKind('agent-eval');
    const made = await program('agent-eval');
    let read: Promise<object> | undefined;
    made.commands[0]?.action((path: string | undefined, options: CommandOptions) => {
      read = readAsked(loaded, path, options);
    });
    await made.parseAsync(['agent-eval', ...words], { from: 'user' });
    return (await read) as AgentEvalConfig;
  }

  test.each([
    ['one after the other', (a: string, b: string) => ['--dataset', a, b, '--row', 'a', 'b']],
    [
      'each by itself',
      (a: string, b: string) => ['--dataset', a, '--row', 'a', '--dataset', b, '--row', 'b'],
    ],
  ])('names several datasets and rows, %s', async (_how, words) => {
    const { at } = evaluationFolder();
    const datasets = [at('task.jsonl'), at('more.jsonl')] as const;
    const config = await configOf([...words(...datasets), '--model', 'openai/x']);
    expect(config).toMatchObject({ datasets, rows: ['a', 'b'] });
  });

  test('overrides a file; what is its judge’s is none of its own', async () => {
    const { at } = evaluationFolder({
      'it.yaml': 'dataset: task.jsonl\nmodels: { agent: openai/x, user: human }\n',
    });
    const flags =
      '--rollouts 2 --concurrency 3 --model openai/y --name mine --model-role user=none --results-dir /there';
    const set = '--set seed=4 --set models.agent.temperature=1 --set judge.lm.temperature=0';
    expect(await configOf([at('it.yaml'), ...`${flags} ${set}`.split(' ')])).toMatchObject({
      name: 'mine',
      datasets: [at('task.jsonl')],
      rollouts: 2,
      concurrency: 3,
      models: { agent: { model: 'y', temperature: 1 }, user: null },
      seed: 4,
      output: { results_dir: '/there' },
    });
  });

  test('names a config that was taken for a dataset as such', async () => {
    const { at } = evaluationFolder();
    await expect(configOf(['--dataset', at('task.jsonl'), 'it.yaml', '--model', 'openai/x'])).rejects.toThrow(
      /datasets\[1\]: .*it\.yaml is a config, not a bundle; name it before the options/,
    );
  });
});

test('--sample-id may be repeated, before and after the config', async () => {
  const folder = folderWith({
    'it.yaml': 'dataset: { items: [{ question: q, answer: a }] }\nlm: { model: simulated/x }\n',
  });
  const loaded = await loadKind('run');
  const made = await program('run');
  let read: Promise<object> | undefined;
  made.commands[0]?.action((path: string | undefined, options: CommandOptions) => {
    read = readAsked(loaded, path, options);
  });
  const words = ['run', '--sample-id', 'a,b', join(folder, 'it.yaml'), '--sample-id', 'c', '--limit', '2'];
  await made.parseAsync(words, { from: 'user' });
  expect(await read).toMatchObject({
    dataset: { select: { ids: ['a', 'b', 'c'] } },
    runtime: { max_envs_to_visit: 2 },
  });
});
