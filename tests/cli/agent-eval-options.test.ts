import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import {
  type AgentEvalOptions,
  readAgentEval,
  withAgentEvalOptions,
} from '../../src/cli/agent-eval-options.js';
import type { AgentEvalConfig } from '../../src/config/agent-eval-schema.js';
import { evaluationFolder } from '../config/agent-eval-support.js';

/** The config that these words of a command line mean in a folder. */
function configOf(
  words: string[],
  workingFolder: string,
  environment: Record<string, string> = {},
): AgentEvalConfig {
  let config: AgentEvalConfig | undefined;
  const command = withAgentEvalOptions(new Command().exitOverride());
  command.action((path: string | undefined, options: AgentEvalOptions) => {
    config = readAgentEval(path, options, { workingFolder, environment });
  });
  command.parse(words, { from: 'user' });
  return config as AgentEvalConfig;
}

const environment = { MODEL_AGENT: 'openai/gpt-4o-mini', MODEL_SIM: 'openai/gpt-3.5-turbo' };

describe('the command line of an evaluation', () => {
  test('may be the dataset alone, with the models in the environment', () => {
    const { folder, at } = evaluationFolder();
    expect(configOf(['--dataset', 'task.jsonl'], folder, environment)).toMatchObject({
      datasets: [at('task.jsonl')],
      agent: { lm: { model: 'gpt-4o-mini' } },
      user: { lm: { model: 'gpt-3.5-turbo' } },
    });
  });

  test.each([
    ['one after the other', ['--dataset', 'task.jsonl', 'more.jsonl', '--row', 'a', 'b']],
    ['each by itself', ['--dataset', 'task.jsonl', '--row', 'a', '--dataset', 'more.jsonl', '--row', 'b']],
  ])('names several datasets and rows, %s', (_how, words) => {
    const { folder, at } = evaluationFolder();
    expect(configOf(words, folder, environment)).toMatchObject({
      datasets: [at('task.jsonl'), at('more.jsonl')],
      rows: ['a', 'b'],
    });
  });

  test('overrides a file', () => {
    const { folder, at } = evaluationFolder({
      'it.yaml': 'dataset: task.jsonl\nagent: openai/x\nuser: human\n',
    });
    const words = [
      'it.yaml',
      '--rollouts',
      '2',
      '--concurrency',
      '3',
      '--agent',
      'openai/y',
      '--name',
      'mine',
    ];
    const more = [
      '--user',
      'none',
      '--results-dir',
      'there',
      '--set',
      'seed=4',
      '--set',
      'agent.lm.temperature=1',
    ];
    expect(configOf([...words, ...more], folder)).toMatchObject({
      name: 'mine',
      datasets: [at('task.jsonl')],
      rollouts: 2,
      concurrency: 3,
      agent: { lm: { model: 'y', temperature: 1 } },
      user: null,
      seed: 4,
      output: { results_dir: at('there') },
    });
  });

  test('without options, a file says everything', () => {
    const { folder } = evaluationFolder({ 'it.yaml': 'dataset: task.jsonl\nrows: [a]\nagent: openai/x\n' });
    expect(configOf(['it.yaml'], folder)).toMatchObject({ name: 'it', rows: ['a'], rollouts: null });
  });

  test('a config that was taken for a dataset is named as such', () => {
    const { folder } = evaluationFolder();
    expect(() => configOf(['--dataset', 'task.jsonl', 'it.yaml'], folder, environment)).toThrow(
      /datasets\[1\]: .*it\.yaml is a config, not a bundle; name it before the options/,
    );
  });
});
