import type { Limits } from '../contracts/experiment.js';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import type { ExperimentMetrics, RunStatus } from '../contracts/results.js';
import { readyToContinue } from './continuation.js';
import type { ExperimentControl, Planned } from './experiment-control.js';
import { prepared } from './failures.js';
import { progressQuery } from './messages.js';
import { takeRequests } from './requests.js';
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  ContinueAsNew,
  condition,
  isCancellation,
  setHandler,
} from './sdk.js';
import { type ExperimentClock, WorkingClock } from './working-clock.js';

/** Outcome of an experiment. */
export interface ExperimentOutcome {
  status: RunStatus;
  message: string | null;
}

interface ConductedPlan extends Planned {
  artifacts: string;
  limits: Limits;
  /** Seconds that earlier executions of the experiment worked. */
  spent_wall_seconds: number;
}

/** State that every execution passes to the one that continues it. */
interface Carried<Plan> {
  plan: Plan;
  /** Start of the first execution, in milliseconds since 1970. */
  started_at: number;
  /** Seconds worked so far, if working time has a limit. */
  worked_seconds?: number;
}

/** Outcome and times of an experiment, for writing its artifacts. */
type Ended<Plan> = ExperimentOutcome & {
  plan: Plan;
  started_at: number;
  ended_at: number;
  worked_seconds?: number;
};

/** Experiment of one kind. */
export interface Conducted<
  Plan,
  Whole extends Carried<Plan>,
  Metrics,
  Progress extends ExperimentProgress<string, ExperimentMetrics>,
> {
  /** Name in messages, such as `run`. */
  what: string;
  /** State of the execution before, if this one continues it. */
  carried: Whole | undefined;
  control: ExperimentControl<Plan & Planned, Progress> & {
    begin(plan: Plan, isFirst: boolean): void;
    finish(metrics: Metrics): void;
    handOver(): Omit<Whole, keyof Carried<Plan> | 'begun' | 'work'>;
  };
  prepare(): Promise<Plan>;
  /** @param handOver continues in another execution; it does not return. */
  work(plan: Plan, handOver: (more?: Partial<Whole>) => Promise<never>): Promise<void>;
  continueWith(carried: Whole): Promise<never>;
  /** Writes the artifacts. */
  finalize(ended: Ended<Plan>): Promise<Metrics>;
}

/**
 * Conducts an experiment of any kind: prepares it, does its work, and writes its artifacts, however it ends. Any error
 * makes the experiment fail with its message; thrown by the workflow, it would fail the workflow task again and again,
 * and nobody would be notified.
 * @throws the cancellation, or a failure that carries the result if the experiment failed.
 */
export async function conduct<
  Plan extends ConductedPlan,
  Whole extends Carried<Plan>,
  Metrics,
  Progress extends ExperimentProgress<string, ExperimentMetrics>,
>(experiment: Conducted<Plan, Whole, Metrics, Progress>): Promise<{ artifacts: string; metrics: Metrics }> {
  const { what, carried, control } = experiment;
  const started_at = carried?.started_at ?? Date.now();
  setHandler(progressQuery, () => control.progress());
  takeRequests(control);
  const plan = carried?.plan ?? (await prepared(experiment.prepare(), control));

  let clock: ExperimentClock | undefined;
  const handOver = async (more?: Partial<Whole>): Promise<never> => {
    clock?.stop();
    await readyToContinue();
    const whole = { plan, started_at, ...clock?.worked(), ...control.handOver(), ...more };
    return experiment.continueWith(whole as unknown as Whole);
  };
  let cancellation: unknown;
  const scope = new CancellationScope();
  try {
    control.begin(plan, carried === undefined);
    clock = WorkingClock.start(plan, carried?.worked_seconds ?? 0, what, control);
    await scope.run(() => experiment.work(plan, handOver));
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    if (isCancellation(error)) cancellation = error;
    else {
      control.fault(error);
      // Ends what is still in flight.
      scope.cancel();
    }
  }
  clock?.stop();
  return conclude(experiment, cancellation, { plan, started_at, ...clock?.worked() });
}

function conclude<
  Plan extends ConductedPlan,
  Whole extends Carried<Plan>,
  Metrics,
  Progress extends ExperimentProgress<string, ExperimentMetrics>,
>(
  { what, control, finalize }: Conducted<Plan, Whole, Metrics, Progress>,
  cancellation: unknown,
  worked: Omit<Ended<Plan>, keyof ExperimentOutcome | 'ended_at'>,
): Promise<{ artifacts: string; metrics: Metrics }> {
  return CancellationScope.nonCancellable(async () => {
    const outcome = control.outcome(cancellation !== undefined);
    control.setPhase('writing');
    const metrics = await finalize({ ...worked, ...outcome, ended_at: Date.now() });
    control.finish(metrics);
    await condition(allHandlersFinished);
    if (cancellation !== undefined) throw cancellation;
    const result = { artifacts: worked.plan.artifacts, metrics };
    if (outcome.status !== 'failed') return result;
    throw ApplicationFailure.create({
      message: outcome.message ?? `the ${what} failed`,
      type: FAILURE_TYPES.runFailed,
      nonRetryable: true,
      details: [result],
    });
  });
}
