import { askedOfModel } from './asked-of-model.js';
import { firstDifferentField } from './difference.js';
import type { EvolveConfig } from './evolve-schema.js';

/** What only an agent has a use for makes no other scaffolder of one that writes in a single reply. */
function askedOfScaffolder({
  lm,
  mode,
  max_turns,
  draft_examples,
  ...rest
}: EvolveConfig['scaffolder']): object {
  const asked = { ...rest, lm: askedOfModel(lm) };
  return mode === 'agent' ? { ...asked, mode, max_turns, draft_examples } : asked;
}

/** How far the experiment goes and how it is paced, bounded and kept are left out; what decides its result is not. */
function withoutPacing(config: EvolveConfig): unknown {
  const { name: _name, limits: _limits, output: _output, evolution, scaffolder, executor, ...rest } = config;
  const { concurrency: _concurrency, num_iterations: _iterations, ...asked } = evolution;
  const compared = {
    ...rest,
    evolution: asked,
    scaffolder: askedOfScaffolder(scaffolder),
    executor: executor === null ? null : { ...executor, lm: askedOfModel(executor.lm) },
  };
  return JSON.parse(JSON.stringify(compared));
}

/**
 * The first field in which two configs ask for another experiment, e.g. `scaffolder.lm.model`; null where there is
 * none. `num_iterations` may differ: the same experiment goes further.
 */
export function firstEvolveDifference(left: EvolveConfig, right: EvolveConfig): string | null {
  return firstDifferentField(withoutPacing(left), withoutPacing(right));
}
