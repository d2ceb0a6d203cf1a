import { heartbeating } from '../../../activities/attempt-journal.js';
import { sinkOf } from '../../../activities/run-log.js';
import type { AwaitedStep, StepAnswer, Task } from '../../../contracts/environment.js';
import type { OpenedSample } from '../../../runtime/ports.js';
import { withLog } from '../../../user-code/log.js';
import type { EnvironmentActivities } from '../contracts.js';
import type { RunContext, RunContexts } from './run-context.js';

/** Limit of observations, messages and states per activity, in characters; a payload may hold 2 MiB. */
const OBSERVATION_BUDGET = 256 * 1024;
/** Milliseconds after which an activity opens no further sample: resets may wait for external services. */
const OPENING_BUDGET = 60_000;

/** Runs the environment of a user for a task; what it logs is in the run's log. */
function logging<Value>(run: RunContext, task: Task, work: () => Value): Value {
  return withLog(
    sinkOf((component) => run.log(component), 'environment', { sample: task.id }),
    work,
  );
}

/** Takes one step in a run's environment. */
export async function stepEnvironment(
  run: RunContext,
  { index, state = null }: AwaitedStep,
  action: string,
): Promise<StepAnswer> {
  return run.playable(await run.taskOf(index)).step(state, action);
}

/** Creates the activities of environments: the task is read from the run's folder, so it is never part of a history. */
export function createEnvironmentActivities(runs: RunContexts): EnvironmentActivities {
  return {
    openSamples: ({ run: uri, from, count }) =>
      heartbeating(async () => {
        const run = await runs.get(uri);
        const opened: OpenedSample[] = [];
        const end = Date.now() + OPENING_BUDGET;
        let bytes = 0;
        for (let slot = from; opened.length < count && slot < run.slots; slot++) {
          if (opened.length > 0 && Date.now() > end) break;
          const index = run.indexOfSlot(slot);
          const task = await run.taskOf(index);
          const first = run.epochOf(index) * run.config.runtime.num_trials;
          const begun = await logging(run, task, () => run.playable(task).begin());
          const sample: Omit<OpenedSample, 'index' | 'id'> =
            'error' in begun ? { state: null, obs: '', problem: begun.error } : begun;
          bytes += JSON.stringify(sample).length;
          if (opened.length > 0 && bytes > OBSERVATION_BUDGET) break;
          const { id, images } = task;
          opened.push({
            ...{ index, id, ...(images === undefined ? {} : { images }) },
            ...(first === 0 ? {} : { first_trial: first }),
            ...sample,
          });
        }
        return opened;
      }),

    stepEnvironment: ({ run: uri, action, ...awaited }) =>
      heartbeating(async () => {
        const run = await runs.get(uri);
        const task = await run.taskOf(awaited.index);
        return logging(run, task, () => stepEnvironment(run, awaited, action));
      }),
  };
}
