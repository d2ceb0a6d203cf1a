import { askedOfModel } from './asked-of-model.js';
import { firstDifferentField } from './difference.js';
import type { RunConfig } from './schema.js';

/** How the work is paced, bounded and kept, but not what is asked or how it is judged. */
function withoutPacing(config: RunConfig): Record<string, unknown> {
  const { limits: _limits, output: _output, name: _name, runtime, lm, dataset, ...rest } = config;
  const { env_timeout_sec: _timeout, ...rows } = dataset;
  const { concurrency: _concurrency, ...asked } = runtime;
  const { load_memory_path } = config.output;
  return JSON.parse(
    JSON.stringify({ dataset: rows, ...rest, runtime: asked, lm: askedOfModel(lm), load_memory_path }),
  ) as Record<string, unknown>;
}

/** The first field in which two configs ask something else, e.g. `lm.temperature`; null where there is none. */
export function firstDifference(left: RunConfig, right: RunConfig): string | null {
  return firstDifferentField(withoutPacing(left), withoutPacing(right));
}
