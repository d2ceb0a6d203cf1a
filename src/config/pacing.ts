import { isDeepStrictEqual } from 'node:util';
import { isMapping } from '../contracts/json.js';
import type { ConfigKind } from './kind.js';

/** Fields of a config that may change within the same experiment; all others define the experiment. */
export interface PaceFields {
  /** Field of the concurrency, such as `runtime.concurrency`; may change at any time. */
  concurrency: string;
  /**
   * Fields or sections that cannot change while an experiment is in progress; `models.*.timeout_sec` is that of each
   * model.
   */
  fixed: readonly string[];
  /** Fields whose differences are ignored, such as `name`. */
  free: readonly string[];
}

/** Change of pace that a command requests for an experiment in progress. */
export interface PaceChange {
  /** New concurrency, which may change at any time; null if it is unchanged. */
  concurrency: number | null;
  /** First other field that differs, such as `limits.max_lm_calls`, with both values; null if there is none. */
  fixed: { field: string; was: unknown; asked: unknown } | null;
}

/** Fields of a model's section that only pace and bound its calls; all others affect the replies. */
const PACE_OF_MODEL = ['requests_per_second', 'max_attempts', 'timeout_sec', 'max_reply_mb'];

/** Returns the fields that pace the model of a section such as `models.agent`. */
export function paceOfModel(section: string): string[] {
  return PACE_OF_MODEL.map((field) => `${section}.${field}`);
}

/** Returns a model's section without the fields that pace its calls. */
export function askedOfModel(lm: object): object {
  return withoutFields(lm, PACE_OF_MODEL);
}

/** Returns the value of a field such as `limits.max_lm_calls`; undefined if it is absent. */
export function fieldValue(config: unknown, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>((value, name) => (isMapping(value) ? value[name] : undefined), config);
}

/** Returns a copy of a config without some fields; `*` in a field stands for any name. */
export function withoutFields(config: object, fields: readonly string[]): Record<string, unknown> {
  const copy = JSON.parse(JSON.stringify(config)) as Record<string, unknown>;
  for (const field of fields) leaveOut(copy, field.split('.'));
  return copy;
}

function leaveOut(section: unknown, [name = '', ...below]: readonly string[]): void {
  if (!isMapping(section)) return;
  for (const key of name === '*' ? Object.keys(section) : [name]) {
    if (below.length === 0) delete section[key];
    else leaveOut(section[key], below);
  }
}

/**
 * Reports whether a value is a whole config of a kind: an input may only name one, and a folder may hold another
 * kind's.
 */
export function isWhole<Config extends object>(kind: ConfigKind<Config>, value: unknown): value is Config {
  if (!isMapping(value)) return false;
  return Object.keys(kind.schema(value).shape).every((field) => field in value);
}

/**
 * Returns the first field in which two values differ, as a dotted path such as `lm.temperature`; null if they are
 * equal.
 */
export function firstDifferentField(one: unknown, other: unknown, path = ''): string | null {
  if (isDeepStrictEqual(one, other)) return null;
  if (!isMapping(one) || !isMapping(other)) return path;
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const inner = firstDifferentField(one[key], other[key], path === '' ? key : `${path}.${key}`);
    if (inner !== null) return inner;
  }
  return path;
}

/** Returns two configs in their compared form, without some fields. */
function comparedWithout<Config extends object>(
  kind: ConfigKind<Config>,
  [earlier, asked]: readonly [Config, Config],
  fields: readonly string[],
): [Record<string, unknown>, Record<string, unknown>] {
  const compared = (config: Config) => withoutFields(kind.compared?.(config, earlier) ?? config, fields);
  return [compared(earlier), compared(asked)];
}

/**
 * Returns the first field that makes a config another experiment than an earlier one, e.g. `lm.temperature`; else null.
 */
export function firstDifference<Config extends object>(
  kind: ConfigKind<Config>,
  earlier: Config,
  asked: Config,
): string | null {
  const { concurrency, fixed, free } = kind.pace;
  return firstDifferentField(...comparedWithout(kind, [earlier, asked], [concurrency, ...fixed, ...free]));
}

/** Compares the pace of two configs of the same experiment. */
export function paceChange<Config extends object>(
  kind: ConfigKind<Config>,
  earlier: Config,
  asked: Config,
): PaceChange {
  const { concurrency: at, free } = kind.pace;
  const [before, now] = comparedWithout(kind, [earlier, asked], [at, ...free]);
  const field = firstDifferentField(before, now);
  const [was, wanted] = [fieldValue(earlier, at), fieldValue(asked, at)];
  return {
    concurrency: was === wanted || kind.oneByOne?.(asked) ? null : (wanted as number),
    fixed: field === null ? null : { field, was: fieldValue(before, field), asked: fieldValue(now, field) },
  };
}
