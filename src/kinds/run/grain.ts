import { hasOwnCode } from './contracts.js';
import type { RunConfig } from './schema.js';

/** Samples from which on a run is not watched call by call. */
const MANY_SAMPLES = 200;

/**
 * Returns why workers run bundles of a run's samples; null where each call is a step of the workflow. That is what the
 * config says, or by default where there are many samples, or where the agent or its memory is a user's. Environments of
 * users and samples that share a memory are looked at call by call.
 * @param slots number of samples to visit
 */
export function whyByUnit(config: RunConfig, slots: number): string | null {
  const { runtime, dataset } = config;
  if (hasOwnCode(config)) return 'code of your own answers';
  if (runtime.grain !== 'auto') return runtime.grain === 'unit' ? 'the config says so' : null;
  const isPlain = dataset.env_file === undefined && runtime.memory_scope === 'sample';
  return isPlain && slots >= MANY_SAMPLES ? `there are ${slots}` : null;
}
