import { hasCallLimits } from '../../runtime/budget.js';
import type { RunConfig } from './schema.js';

/** Samples from which on a run is not watched call by call. */
const MANY_SAMPLES = 200;

/**
 * Reports whether workers run bundles of a run's samples: what the config says, or by default where there are many.
 * Code of users, samples that share a memory, and limits on calls are looked at call by call.
 * @param slots number of samples to visit
 */
export function isByUnit({ runtime, limits, agent, memory, dataset }: RunConfig, slots: number): boolean {
  if (runtime.grain !== 'auto') return runtime.grain === 'unit';
  const isOwn = 'file' in agent || memory._type === 'own' || dataset.env_file !== undefined;
  const isPlain = !isOwn && runtime.memory_scope === 'sample';
  return isPlain && !hasCallLimits(limits) && slots >= MANY_SAMPLES;
}

/** Sentence for people on a run whose workers run bundles of samples. */
export const BY_UNIT =
  'Workers run bundles of samples, and single calls are no steps of the workflow (runtime.grain: unit).';
