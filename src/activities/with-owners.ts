import { artifactsOf, executionOf } from '../contracts/experiment.js';
import type { WorkerDependencies } from './dependencies.js';
import { giveSign, noteEnd, SIGN_EVERY } from './owners.js';
import type { Traits } from './traits.js';

/** Returns the run that an activity works for, from its input; null for one that prepares a run. */
export function runOf(input: unknown): string | null {
  const { run, plan } = (input ?? {}) as { run?: unknown; plan?: { run?: unknown } };
  const named = run ?? plan?.run;
  return typeof named === 'string' ? named : null;
}

/** Gives signs of life for the experiments that a worker works for. */
class OwnerSigns {
  /** Activities in progress of each run, and whether there was one since the last sign. */
  private readonly runs = new Map<string, { inProgress: number; hasWorked: boolean }>();
  private signs = 0;

  constructor(private readonly dependencies: Pick<WorkerDependencies, 'openStore'>) {}

  async during<Value>(run: string, work: () => Promise<Value>): Promise<Value> {
    const state = this.runs.get(run) ?? this.begin(run);
    state.inProgress += 1;
    state.hasWorked = true;
    try {
      return await work();
    } finally {
      state.inProgress -= 1;
    }
  }

  private begin(run: string): { inProgress: number; hasWorked: boolean } {
    const state = { inProgress: 0, hasWorked: false };
    this.runs.set(run, state);
    const timer = setInterval(() => {
      if (state.inProgress === 0 && !state.hasWorked) {
        clearInterval(timer);
        this.runs.delete(run);
        return;
      }
      state.hasWorked = false;
      // Problems of the store show when results are written.
      this.sign(run).catch(() => undefined);
    }, SIGN_EVERY).unref();
    return state;
  }

  private sign(run: string): Promise<void> {
    const sign = `${process.pid}-${performance.timeOrigin}-${++this.signs}`;
    return giveSign(this.dependencies.openStore(artifactsOf(run)), executionOf(run), sign);
  }
}

/**
 * Wraps every activity of a worker: while one works for an experiment, the experiment gives signs of life, so that no
 * other execution takes over its folder; its last activity gives up the folder.
 */
export function withOwners<Activities extends object>(
  activities: Activities,
  dependencies: Pick<WorkerDependencies, 'openStore'>,
  traits: Traits = {},
): Activities {
  const signs = new OwnerSigns(dependencies);
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...input: unknown[]) => {
      const work = () => (activity as (...input: unknown[]) => Promise<unknown>)(...input);
      const run = runOf(input[0]);
      if (run === null) return work();
      return signs.during(run, async () => {
        const result = await work();
        if (traits[name] === 'ends')
          await noteEnd(dependencies.openStore(artifactsOf(run)), executionOf(run));
        return result;
      });
    },
  ]);
  return Object.fromEntries(wrapped) as Activities;
}
