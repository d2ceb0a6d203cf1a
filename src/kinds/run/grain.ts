import { hasOwnCode } from './contracts.js';
import type { RunConfig } from './schema.js';

/** Samples from which on a run is not watched call by call. */
const MANY_SAMPLES = 200;

/**
 * Reports whether workers run bundles of a run's samples: what the config says, or by default where there are many, or
 * where the agent or its memory is a user's. Environments of users and samples that share a memory are looked at call by
 * call.
 * @param slots number of samples to visit
 */
export function isByUnit(config: RunConfig, slots: number): boolean {
  const { runtime, dataset } = config;
  if (hasOwnCode(config)) return true;
  if (runtime.grain !== 'auto') return runtime.grain === 'unit';
  return dataset.env_file === undefined && runtime.memory_scope === 'sample' && slots >= MANY_SAMPLES;
}

/** Sentence for people on a run whose workers run bundles of samples. */
export const BY_UNIT =
  'Workers run bundles of samples, and single calls are no steps of the workflow (runtime.grain: unit).';
