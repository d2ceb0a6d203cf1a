import { isDeepStrictEqual } from 'node:util';
import type { RunConfig } from './schema.js';

/** How the work is paced, bounded and kept, but not what is asked or how it is judged. */
function withoutPacing(config: RunConfig): Record<string, unknown> {
  const { limits: _limits, output: _output, name: _name, runtime, lm, ...rest } = config;
  const { concurrency: _concurrency, ...asked } = runtime;
  const { requests_per_second: _rate, max_attempts: _attempts, timeout_sec: _timeout, ...model } = lm;
  const { load_memory_path } = config.output;
  return JSON.parse(JSON.stringify({ ...rest, runtime: asked, lm: model, load_memory_path })) as Record<
    string,
    unknown
  >;
}

/** The first field in which two configs ask something else, e.g. `lm.temperature`; null where there is none. */
export function firstDifference(left: RunConfig, right: RunConfig): string | null {
  const walk = (one: unknown, other: unknown, path: string): string | null => {
    if (isDeepStrictEqual(one, other)) return null;
    const bothMappings = [one, other].every(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    );
    if (!bothMappings) return path;
    const keys = new Set([...Object.keys(one as object), ...Object.keys(other as object)]);
    for (const key of keys) {
      const inner = walk(
        (one as Record<string, unknown>)[key],
        (other as Record<string, unknown>)[key],
        path === '' ? key : `${path}.${key}`,
      );
      if (inner !== null) return inner;
    }
    return path;
  };
  return walk(withoutPacing(left), withoutPacing(right), '');
}
