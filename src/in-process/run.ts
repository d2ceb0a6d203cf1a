import type { RunConfig } from '../config/schema.js';
import { createSandbox } from '../sandboxes/create.js';
import type { Sandbox } from '../sandboxes/sandbox.js';
import { gather } from './gather.js';
import { LaneLoop } from './lane-loop.js';
import type { InProcessOptions, InProcessResult } from './options.js';
import { prepare } from './prepare.js';
import { symbolicComparison } from './symbolic-comparison.js';

/** The longest time a timer can wait for, in milliseconds (25 days). */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Runs a config in a plain loop: the same agent, environment, memory and metrics as a durable run, without a server
 * and without durability. Nothing is written: what a durable run's artifacts hold is in the answer, and a crash
 * loses it. For unit tests of agents and environments, and to measure what durability costs.
 *
 * Where a limit is reached, or every further call would fail, the answer holds what was done and says so in
 * `metrics.status`, as a durable run does.
 * @throws InvalidInputError, DatasetError or LanguageModelError for a config that cannot be run.
 */
export async function runInProcess(
  config: RunConfig,
  options: InProcessOptions = {},
): Promise<InProcessResult> {
  const startedAt = Date.now();
  const comparison = await symbolicComparison(options.compareSymbolically);
  const { environment = process.env, notice = () => undefined } = options;
  let made: Promise<Sandbox> | undefined;
  const sandbox = (): Promise<Sandbox> => {
    const created = made ?? createSandbox(config.sandbox.type, { environment, say: notice });
    made = created;
    return created;
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    const run = await prepare(config, options, comparison.compare, sandbox);
    const loop = new LaneLoop(run);
    const { max_wall_seconds } = config.limits;
    if (max_wall_seconds !== null) {
      timer = setTimeout(
        () => loop.exhaust(`limits.max_wall_seconds: the run has worked for ${max_wall_seconds} seconds`),
        Math.min(max_wall_seconds * 1000 - (Date.now() - startedAt), LONGEST_TIMER),
      );
    }
    await loop.work();
    return gather(run, loop, { startedAt, trajectories: options.trajectories === true });
  } finally {
    clearTimeout(timer);
    await comparison.close();
    // A sandbox that could not be made has been told of already, by what it failed.
    await (await made?.catch(() => undefined))?.close();
  }
}
