import { isMapping } from '../contracts/json.js';
import { firstDifferentField } from './difference.js';

/** Where a kind of experiment says how much it does at once, e.g. `runtime.concurrency`. */
export type ConcurrencyField = 'runtime.concurrency' | 'evolution.concurrency' | 'concurrency';

/** What a command asks of an experiment in progress that asks the same questions at another pace. */
export interface PaceChange {
  /** How much it is to do at once; null: as much as it was begun with. That can be changed at any time. */
  concurrency: number | null;
  /** The first other field that differs, such as `limits.max_lm_calls`, with both values; null where there is none. */
  fixed: { field: string; was: unknown; asked: unknown } | null;
}

function valueAt(config: unknown, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>((value, name) => (isMapping(value) ? value[name] : undefined), config);
}

function withoutFields(config: object, fields: readonly string[]): unknown {
  const copy = JSON.parse(JSON.stringify(config)) as Record<string, unknown>;
  for (const field of fields) {
    const names = field.split('.');
    const section = names.length === 1 ? copy : valueAt(copy, names.slice(0, -1).join('.'));
    if (isMapping(section)) delete section[names.at(-1) as string];
  }
  return copy;
}

/**
 * Compares two configs that ask the same questions.
 * @param free what may differ beside the concurrency without a word, e.g. `name`
 */
export function paceChange(
  earlier: object,
  asked: object,
  { concurrency: at, free }: { concurrency: ConcurrencyField; free: readonly string[] },
): PaceChange {
  const others = [at, ...free];
  const field = firstDifferentField(withoutFields(earlier, others), withoutFields(asked, others));
  const [was, now] = [valueAt(earlier, at), valueAt(asked, at)];
  return {
    concurrency: was === now ? null : (now as number),
    fixed: field === null ? null : { field, was: valueAt(earlier, field), asked: valueAt(asked, field) },
  };
}
