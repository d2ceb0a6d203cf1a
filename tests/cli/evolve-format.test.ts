import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addEvolveCommand } from '../../src/cli/evolve.js';
import { evolveReport, evolveStanding, evolveSummary, evolveTable } from '../../src/cli/evolve-format.js';
import { EVOLVE_PARAMETERS } from '../../src/config/evolve-flags.js';
import type { EvolveMetrics } from '../../src/contracts/evolve-results.js';
import { METRICS, node, progressOf } from './evolve-support.js';
import { tableLines } from './table-lines.js';

const rows = (metrics: Partial<EvolveMetrics>) => tableLines(evolveTable({ ...METRICS, ...metrics }));

describe('the result of an evolution', () => {
  test('shows the figures of metrics.json', () => {
    expect(rows({})).toEqual([
      'status: done',
      'domain: game24, selection top_k, seed 1',
      'scaffolder: scripted/game24',
      'executor: none',
      'iterations: 4 of 4, the first one included',
      'best by iteration: 0: –, 1: 0.1, 2: 0.45, 3: 1',
      'scaffolds: 9, 1 failed',
      'executions: 170, 2 failed',
      'LM calls: 11, 0 repeated after a crash',
      'tokens: 1000 in, 2000 out',
      'cost: $0.5000',
      'time: 61.0 s',
      'best scaffold: 1-0-0',
      'validation score: 1',
      'test score: 0.9877',
    ]);
  });

  test('says why it ended early, what is simulated, and what is not known', () => {
    const found = rows({
      status: 'limit_reached',
      status_message: 'limits.max_lm_calls',
      simulated: true,
      executor_model: 'openai/x',
      cost_usd: null,
      best: null,
      scaffolds_failed: 0,
      scaffolds_unscored: 0,
      scaffolds_duplicate: 2,
      code_changes: [{ at: '2026-01-31T23:59:59.000Z', iterations: 2, modules: ['own/score.ts'] }],
    });
    expect(found).toEqual(
      expect.arrayContaining([
        'status: limit_reached (limits.max_lm_calls)',
        'scaffolder: scripted/game24 (a simulation: no benchmark figure)',
        'executor: openai/x',
        'cost: unknown (no price for this model)',
        'best scaffold: none was validated',
        'scaffolds: 9, 2 duplicates',
        'changed meanwhile: own/score.ts, after 2 of the iterations',
      ]),
    );
    expect(found.join('\n')).not.toMatch(/validation score|test score/);
  });

  test('ends with path and scores of the best scaffold', () => {
    const artifacts = 's3://bucket/experiments/game_20260131_235959';
    const report = (metrics: Partial<EvolveMetrics>) =>
      evolveReport({ artifacts, metrics: { ...METRICS, ...metrics } }).split('\n');
    const { best } = METRICS;
    expect(report({}).slice(-2)).toEqual([
      `Best scaffold: ${artifacts}/iterations/2/scaffolds/new/1-0-0/scaffold.py (validation score 1, test score 0.9877)`,
      `Artifacts: ${artifacts}`,
    ]);
    expect(report({ best: best && { ...best, test_score: null } }).at(-2)).toMatch(/\(validation score 1\)$/);
    expect(report({ best: null }).join('\n')).not.toContain('Best scaffold:');
  });
});

describe('an evolution in progress', () => {
  test('is a line with its place, its best and its costs', () => {
    expect(evolveSummary(progressOf())).toBe('iteration 0 of 3 · 0 executions · 0 LM calls · $0.0000');
    expect(
      evolveSummary(progressOf({ phase: 'stopping', iteration: 2, best: { id: '1', score: 1 / 3 } })),
    ).toBe('iteration 2 of 3 · best 1 with 0.3333 · 0 executions · 0 LM calls · $0.0000 · stopping');
  });

  test('is shown by reprise status with its scaffolds and its folder', () => {
    const text = evolveStanding(progressOf({ nodes: [node('0', 0)], artifacts: 's3://bucket/game' }));
    expect(text).toMatch(/│ iteration │ scaffold │ parent │ train │ valid │/);
    expect(text.split('\n').slice(-2)).toEqual([
      'iteration 0 of 3 · 0 executions · 0 LM calls · $0.0000',
      'Artifacts: s3://bucket/game',
    ]);
    expect(evolveStanding(progressOf())).not.toContain('│');
  });
});

describe('reprise evolve', () => {
  const command = () => {
    const program = new Command('reprise').exitOverride();
    addEvolveCommand(program, () => undefined);
    return program;
  };

  test('has a flag for every parameter', () => {
    const flags = command().commands[0]?.options.map(({ long }) => long);
    expect(flags).toEqual([
      ...EVOLVE_PARAMETERS.map((name) => `--${name.replaceAll('_', '-')}`),
      '--set',
      '--fork',
      '--at-iteration',
      '--detach',
      '--fail-on-error',
      '--json',
    ]);
  });

  const given = [
    '--experiment-name x --scaffolder-model simulated/x --domain game24 --train-data no.jsonl --valid-data no.jsonl',
    '--task-prompt',
  ];
  test.each<[string, string]>([
    ['', 'the command line:'],
    ['no-such.yaml', 'config '],
    [
      '--num-iterations many --set data.generate={}',
      'evolution.num_iterations: must be a number, not "many"',
    ],
    ['--at-iteration 3', '--at-iteration: says where to begin from an experiment that --fork names'],
    ['--fork x', '--at-iteration: is missing; --fork needs the number of an iteration that x has finished'],
    ['--fork x --at-iteration -1', '--at-iteration: is -1'],
    ['--fork x --at-iteration 1.5', '--at-iteration: is 1.5'],
    ['--fork x --at-iteration 1 --results-dir /no/where', "fork: there is no experiment 'x' in /no/where"],
    [`${given.join(' ')} Solve.it`, 'task_prompt: there is no file at'],
  ])('%s is refused before anything starts: %s', async (line, message) => {
    const parsing = command().parseAsync(['node', 'reprise', 'evolve', ...line.split(' ').filter(Boolean)]);
    await expect(parsing).rejects.toMatchObject({ name: 'InvalidInputError' });
    await expect(parsing).rejects.toThrow(message);
  });
});
