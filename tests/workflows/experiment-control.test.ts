import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExperimentProgress } from '../../src/contracts/progress.js';
import type { ExperimentMetrics } from '../../src/contracts/results.js';
import { factsOf, progressAtEnd } from '../../src/facts/kind-facts.js';
import { noAgentEvalTotals } from '../../src/kinds/agent-eval/rollouts/totals.js';
import { AgentEvalControl } from '../../src/kinds/agent-eval/workflow/agent-eval-control.js';
import { noEvolveTotals } from '../../src/kinds/evolve/evolution/totals.js';
import { EvolveControl } from '../../src/kinds/evolve/workflow/evolve-control.js';
import { JudgeControl } from '../../src/kinds/judge/workflow/judge-control.js';
import { noTotals } from '../../src/kinds/run/lane/totals.js';
import { RunControl } from '../../src/kinds/run/workflow/run-control.js';
import type { ExperimentControl, Planned } from '../../src/workflows/experiment-control.js';
import { markdown } from '../../src/workflows/markdown.js';
import { ANY_FACTS, AT_END, type Kind } from '../support/experiments.js';
import { detailsOf, enterWorkflow, leaveWorkflow } from '../support/workflow-context.js';

type Control = ExperimentControl<Planned, ExperimentProgress<string, ExperimentMetrics>>;

const LIMITS = { max_lm_calls: 9, max_tokens: null, max_cost_usd: null, max_wall_seconds: null };
const PLANNED = {
  experiment: 'planned',
  artifacts: 's3://bucket/planned',
  concurrency: 5,
  limits: LIMITS,
  search_attributes: [],
};

interface Subject {
  noun: string;
  make(): Control;
  begin(control: Control): void;
}

/** @param plan what its workflow begins with, beside what is planned of every kind: seven units */
function subject(noun: string, ControlOfKind: new () => object, plan: object): Subject {
  return {
    noun,
    make: () => new ControlOfKind() as Control,
    begin: (control) => (control as unknown as JudgeControl).begin({ ...PLANNED, ...plan } as never, true),
  };
}

const judgement = subject('step', JudgeControl, {
  name: 'manners',
  model: 'simulated/x',
  steps: [7],
  criteria: [],
  stored: 0,
  spent: { lm_calls: 3, usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: 0 },
});

const SUBJECTS: Record<Kind, Subject> = {
  run: subject('sample', RunControl, {
    model: 'simulated/x',
    samples_planned: 7,
    memory_scope: 'sample',
    kept: { ...noTotals(), samples: 1, errors: 1, errors_by_type: { timeout: 1 }, lm_calls: 3 },
  }),
  'agent-eval': subject('rollout', AgentEvalControl, {
    agent_model: 'simulated/x',
    user_model: null,
    rows: [{ row: 'a', n_rollouts: 7 }],
    kept: { ...noAgentEvalTotals(), errors: 1, errors_by_type: { timeout: 1 }, lm_calls: 3 },
  }),
  evolve: subject('iteration', EvolveControl, {
    scaffolder_model: 'simulated/x',
    executor_model: null,
    num_iterations: 6,
    state: {
      next_iteration: 1,
      nodes: [{ id: '0', iteration: 0, status: 'unscored', train: [], valid: [] }],
      totals: { ...noEvolveTotals(), lm_calls: 3 },
    },
  }),
  judge: {
    ...judgement,
    begin: (control) => {
      judgement.begin(control);
      const { accounts } = control as unknown as JudgeControl;
      void accounts.unit(
        0,
        async (account) => account.gaveUp('timeout'),
        async () => undefined,
      );
    },
  },
};

beforeEach(() => {
  enterWorkflow();
});
afterEach(leaveWorkflow);

describe.each(Object.entries(SUBJECTS))('an experiment of the kind %s', (kind, { noun, make, begin }) => {
  const begun = (): Control => {
    const control = make();
    begin(control);
    return control;
  };
  const shown = (control: Control) => {
    const progress = control.progress();
    return markdown(progress.experiment, factsOf(progress, ANY_FACTS));
  };

  it('answers while it is prepared, under the name of its workflow', () => {
    expect(make().progress()).toMatchObject({
      kind,
      experiment: 'mine',
      phase: 'preparing',
      artifacts: '',
      models: {},
      units: { noun, planned: 0 },
      limits: null,
      metrics: null,
    });
  });

  it('answers with how much there is, what went wrong, and what it has spent and may', () => {
    const progress = begun().progress();
    expect(progress).toMatchObject({
      experiment: 'planned',
      phase: 'running',
      artifacts: 's3://bucket/planned',
      simulated: true,
      units: { noun, planned: 7, ended: 1 },
      errors: 1,
      errors_by_type: { [kind === 'evolve' ? 'scaffold_unscored' : 'timeout']: 1 },
      spending: { lm_calls: 3 },
      limits: LIMITS,
      concurrency: 5,
    });
    expect(Object.values(progress.models)[0]).toBe('simulated/x');
  });

  it('shows in the Temporal UI whatever is asked of it, at once', () => {
    const control = begun();
    const steps: [() => void, string][] = [
      [() => control.pause(true), '| status | paused |'],
      [() => control.pause(false), '| status | running |'],
      [() => control.setConcurrency(8), '| concurrency | 8 |'],
      [
        () => control.onUnreachable({ what: 'a', message: 'busy' }),
        '| status | running: waiting for a: busy |',
      ],
      [() => control.stop(), '| status | stopping: waiting for a: busy |'],
    ];
    for (const [act, row] of steps) {
      act();
      expect(detailsOf()).toBe(shown(control));
      expect(detailsOf()).toContain(row);
    }
  });

  it('has as many at once as any other', () => {
    const control = begun();
    control.assertConcurrency(10_000);
    expect(() => control.assertConcurrency(10_001)).toThrow('a whole number from 1 to 10000');
  });

  it('says why it ended where people ended it', () => {
    const control = begun();
    control.stop();
    expect(control.outcome(false)).toEqual({ status: 'stopped', message: 'stopped on request' });
    expect(control.outcome(true)).toEqual({ status: 'cancelled', message: 'the workflow was cancelled' });
  });

  it.each<[string, (control: Control) => void]>([
    ['a stop', (control) => control.stop()],
    ['a limit', (control) => control.exhaust('limits')],
  ])('is done where %s comes when nothing is left to do', (_what, end) => {
    const control = begun();
    end(control);
    control.allBegun();
    expect(control.outcome(false)).toEqual({ status: 'done', message: null });
  });

  it('answers at its end with its metrics, as its result would say them', () => {
    const control = begun();
    const metrics = AT_END[kind as Kind];
    control.finish(metrics);
    const {
      nodes: _nodes,
      lines: _lines,
      line_count: _count,
      ...progress
    } = control.progress() as never as Record<string, unknown>;
    const { means: _means, ...own } = progress;
    expect(own).toEqual({
      ...progressAtEnd({ artifacts: 's3://bucket/planned', metrics }, ANY_FACTS),
      limits: LIMITS,
      concurrency: 5,
    });
    expect(detailsOf()).toContain('| status | done |');
  });
});
