import { describe, expect, expectTypeOf, test } from 'vitest';
import type { AnyExperiment, Client, ExperimentKinds, ExperimentOf, KindId } from '../../src/client/index.js';
import type { JudgeMetrics } from '../../src/kinds/judge/contracts.js';
import { KINDS } from '../../src/kinds/registry.js';
import type { RunProgress } from '../../src/kinds/run/contracts.js';
import type { Metrics } from '../../src/kinds/run/results.js';

type Config<Kind extends KindId> = ExperimentKinds[Kind]['config'];

const items = [{ question: 'What is the capital of Norway?', answer: 'Oslo' }];
const lm = { model: 'simulated/toy' };

// What a config may leave out or say in short is checked by `npm run lint`, which compiles this file.
describe('the types of the client', () => {
  test('know every kind of experiment', () => {
    expectTypeOf<KindId>().toEqualTypeOf<'run' | 'sweep' | 'evolve' | 'agent-eval' | 'judge' | 'own-kind'>();
    const known: Record<KindId, true> = {
      run: true,
      evolve: true,
      'agent-eval': true,
      judge: true,
      'own-kind': true,
      sweep: true,
    };
    expect(KINDS.map(({ id }) => id).sort()).toEqual(Object.keys(known).sort());
  });

  test('take configs as people write them', () => {
    expectTypeOf({ dataset: { items }, lm }).toExtend<Config<'run'>>();
    const withAgent = {
      dataset: { items },
      lm,
      runtime: { num_trials: 3 },
      agent: { type: 'reflexion_agent' as const, reflection_config: { max_reflections: 2 } },
      memory: { max_length: 50 },
      sandbox: 'process' as const,
    };
    expectTypeOf(withAgent).toExtend<Config<'run'>>();
    expectTypeOf({ dataset: { items }, lm, agent: { history_k: 0 } }).toExtend<Config<'run'>>();
    const ownAgent = { type: 'majority', file: 'majority.ts', votes: 3 };
    expectTypeOf({ dataset: { items }, lm, agent: ownAgent }).toExtend<Config<'run'>>();
    expectTypeOf({ dataset: { items } }).not.toExtend<Config<'run'>>();
    expectTypeOf({ dataset: 'flight_task', models: { agent: 'openai/gpt-4o', user: 'human' } }).toExtend<
      Config<'agent-eval'>
    >();
    expectTypeOf({ experiment: 'results/toy', lm: 'openai/gpt-4o' }).toExtend<Config<'judge'>>();
    expectTypeOf({ kind: 'vote.ts', models: { voter: 'simulated/toy' }, dataset: { items } }).toExtend<
      Config<'own-kind'>
    >();
    const evolution = {
      task_prompt: 'Sort.',
      domain: 'exact',
      data: { train: 'a.jsonl', valid: 'b.jsonl' },
      models: { scaffolder: 'openai/gpt-4o' },
      selection: 'islands' as const,
    };
    expectTypeOf(evolution).toExtend<Config<'evolve'>>();
    expectTypeOf({ fork: { experiment: 'mine', at_iteration: 3 } }).toExtend<Config<'evolve'>>();
  });

  test('say what progress and result are, by kind', () => {
    expectTypeOf<ReturnType<Client['start']>>().resolves.toHaveProperty('progress');
    type Yielded<Of extends { progress(): AsyncGenerator<unknown> }> =
      ReturnType<Of['progress']> extends AsyncGenerator<infer Progress> ? Progress : never;
    expectTypeOf<Yielded<ExperimentOf<'run'>>>().toEqualTypeOf<RunProgress>();
    expectTypeOf<ReturnType<ExperimentOf<'judge'>['result']>>().resolves.toEqualTypeOf<{
      artifacts: string;
      metrics: JudgeMetrics;
    }>();
    type Runs = Extract<AnyExperiment, { kind: 'run' }>;
    expectTypeOf<Awaited<ReturnType<Runs['result']>>['metrics']>().toEqualTypeOf<Metrics>();
  });
});
