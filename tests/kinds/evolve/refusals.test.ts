import { describe, expect, test } from 'vitest';
import { evolveConfigWith, MINIMAL_EVOLUTION } from '../../config/evolve-support.js';
import { refusal } from '../../support/configs.js';

const HERE = import.meta.filename;
const files = { train: HERE, valid: HERE };

/** A bad section, the field that the refusal names, and what its message says. */
const refused: [sections: Record<string, unknown>, field: string, message: string][] = [
  // Unknown keys.
  [{ evolutions: {} }, 'evolutions', "unknown field 'evolutions', did you mean 'evolution'?"],
  [
    { dataset: {} },
    'dataset',
    'allowed: name, task_prompt, domain, data, models, evolution, selection, scaffolder',
  ],
  [{ evolution: { num_iteration: 3 } }, 'evolution.num_iteration', "did you mean 'num_iterations'?"],
  [{ data: { ...files, tests: HERE } }, 'data.tests', "did you mean 'test'?"],
  [
    { models: { scaffolder: { provider: 'simulated' } }, scaffolder: { turns: 3 } },
    'scaffolder.turns',
    'allowed: num_examples, feedback',
  ],
  [
    { models: { executor: { provider: 'simulated' } }, executor: { max_calls: 3 } },
    'executor.max_calls',
    'max_lm_calls_per_execution',
  ],
  [{ selection: { type: 'top_k', islands: 3 } }, 'selection.islands', "unknown field 'islands'"],
  [{ output: { load_memory_path: 'x' } }, 'output.load_memory_path', 'allowed: results_dir, log_level'],
  [{ fork: {} }, 'fork.experiment', 'is missing; it must be a string (on the command line: --fork)'],
  // Wrong types, and numbers out of range.
  [{ evolution: { num_iterations: '3' } }, 'evolution.num_iterations', 'must be a number, not "3"'],
  [{ evolution: { num_iterations: -1 } }, 'evolution.num_iterations', 'must be at least 0, not -1'],
  [{ evolution: { num_iterations: 81 } }, 'evolution.num_iterations', 'must be at most 80, not 81'],
  [{ evolution: { scaffolds_per_iter: 0 } }, 'evolution.scaffolds_per_iter', 'must be more than 0'],
  [{ evolution: { final_validation: 'no' } }, 'evolution.final_validation', 'must be true or false'],
  [{ timeout_sec: 0 }, 'timeout_sec', 'must be more than 0'],
  [{ seed: 1.5 }, 'seed', 'must be a whole number'],
  [{ task_prompt: 3 }, 'task_prompt', 'must be a string, not 3'],
  [
    { task_prompt: undefined },
    'task_prompt',
    'is missing; it must be a string (on the command line: --task-prompt)',
  ],
  [
    { models: { scaffolder: { provider: 'simulated' } }, scaffolder: { num_examples: -1 } },
    'scaffolder.num_examples',
    'at least 0',
  ],
  [
    { models: { scaffolder: { provider: 'simulated' } }, scaffolder: { feedback: { max_characters: 1 } } },
    'scaffolder.feedback.max_characters',
    'at least 500',
  ],
  // Words that are none of the allowed ones.
  [{ domain: 'chess' }, 'domain.name', '"chess" is not allowed; allowed: crosswords, mcq, numeric, game24'],
  [{ selection: 'best' }, 'selection.type', '"best" is not allowed; allowed: top_k, islands, pareto'],
  [{ sandbox: 'vm' }, 'sandbox.type', 'allowed: docker, process'],
  // The models.
  [{ models: { scaffolder: 'gpt-4o' } }, 'models.scaffolder.model', 'write e.g. openai/gpt-4o'],
  [{ models: { executor: 'nobody' } }, 'models.executor.model', 'does not begin with a provider'],
  [{ models: { scaffolder: { provider: 'scripted' } } }, 'models.scaffolder.script', 'needs script'],
  [{ models: { executor: {} } }, 'models.executor.model', 'give a model'],
  [
    { models: { scaffolder: undefined } },
    'models.scaffolder',
    'is missing; it must be a mapping (on the command line: --model',
  ],
  // Sections that do not go together.
  [
    { evolution: { scaffolds_per_iter: 6 } },
    'evolution.scaffolds_per_iter',
    '6 scaffolds cannot be evolved in an iteration where there are 5 to begin with',
  ],
  [
    { evolution: { initial_scaffolds: 2 } },
    'evolution.scaffolds_per_iter',
    'raise initial_scaffolds (--initial-scaffolds)',
  ],
  [{ domain: { name: 'custom' } }, 'domain.file', 'exports score(output, example)'],
  [{ domain: { name: 'mcq', file: HERE } }, 'domain.file', 'belongs to domain custom, but the domain is mcq'],
  [
    { domain: { name: 'custom', file: HERE, options: { a: 1 } } },
    'domain.options',
    'a custom domain has none',
  ],
  [
    { data: {} },
    'data.train',
    'is missing; name a file of JSON lines (--train-data), or let data.generate make examples',
  ],
  [{ data: { train: HERE } }, 'data.valid', 'is missing'],
  [{ data: { valid: HERE } }, 'data.train', 'is missing'],
  [
    { data: { ...files, generate: {} } },
    'data.generate',
    'stands beside data.train and data.valid; give files or generate, not both',
  ],
  [{ data: { test: HERE, generate: {} } }, 'data.generate', 'stands beside data.test'],
  // Secrets.
  [
    { models: { scaffolder: { provider: 'simulated' } }, scaffolder: { api_key: 'x' } },
    'scaffolder.api_key',
    'a key or token is never written in a config',
  ],
  [
    { domain: { name: 'crosswords', options: { token: 'x' } } },
    'domain.options.token',
    'the name of a credential',
  ],
  [{ task_prompt: `sk-${'a'.repeat(30)}` }, 'task_prompt', 'looks like a credential'],
  [{ name: '…' }, 'name', 'leaves nothing for the name of a folder'],
  [{ output: { results_dir: 's3://bucket/x?key=x' } }, 'output.results_dir', "the parameter 'key'"],
  [{ output: { results_dir: 's3://me:secret@bucket/x' } }, 'output.results_dir', 'holds a password'],
];

describe('a bad evolution', () => {
  test.each(refused)('%j is refused by its field %s: %s', (sections, field, message) => {
    const error = refusal(() => evolveConfigWith(sections));
    expect(error.field).toBe(field);
    expect(error.message).toContain(field);
    expect(error.message).toContain(message);
  });

  test('the minimal one, which all of them begin from, is accepted', () => {
    expect(evolveConfigWith()).toMatchObject({ name: 'evolve', domain: MINIMAL_EVOLUTION.domain });
  });

  test('a model without words of its own is fine, and so is one for scaffolds beside it', () => {
    expect(evolveConfigWith({ models: { executor: null } }).models.executor).toBeNull();
    expect(
      evolveConfigWith({ models: { executor: { provider: 'simulated' } } }).models.executor?.provider,
    ).toBe('simulated');
  });

  test('each thing that is wrong has a line', () => {
    const error = refusal(() =>
      evolveConfigWith({ seed: -1, timeout_sec: 'x', evolution: { concurrency: 0 } }),
    );
    expect(error.message.split('\n')).toHaveLength(4);
    expect(error.message).toMatch(/^evolve\.yaml:\n {2}/);
  });

  test.each([
    [
      '--num-iterations',
      { num_iterations: 'many' },
      'evolution.num_iterations: must be a number, not "many"',
    ],
    ['--seed', { seed: '' }, 'seed: must be a number, not ""'],
    ['--timeout-sec', { timeout_sec: '-3' }, 'timeout_sec: must be more than 0, not -3'],
    ['--domain', { domain: 'chess' }, 'domain.name: "chess" is not allowed'],
    [
      '--scaffolder-model',
      { scaffolder_model: 'x' },
      "models.scaffolder.model: 'x' does not begin with a provider",
    ],
    ['--scaffolds-per-iter', { scaffolds_per_iter: '9' }, 'evolution.scaffolds_per_iter: 9 scaffolds'],
  ])('%s is refused by the field it stands for', (_flag, flags, message) => {
    expect(refusal(() => evolveConfigWith({}, { flags })).message).toContain(message);
  });
});
