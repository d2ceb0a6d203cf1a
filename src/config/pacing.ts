import { isDeepStrictEqual } from 'node:util';
import { isMapping } from '../contracts/json.js';
import type { ConfigKind } from './kind.js';

/** Fields of a config that may change without making it another experiment's; all others are what it asks for. */
export interface Pace {
  /** How much is done at once, such as `runtime.concurrency`: may be changed at any time. */
  concurrency: string;
  /** Fields, or whole sections, that hold as an experiment was begun while it is in progress; `models.*.timeout_sec`: of each model. */
  fixed: readonly string[];
  /** Fields that differ without a word, such as `name`. */
  free: readonly string[];
}

/** What a command asks of an experiment in progress that asks the same questions at another pace. */
export interface PaceChange {
  /** How much it is to do at once; null: as much as it was begun with. That can be changed at any time. */
  concurrency: number | null;
  /** The first other field that differs, such as `limits.max_lm_calls`, with both values; null where there is none. */
  fixed: { field: string; was: unknown; asked: unknown } | null;
}

/** What of a model's section only paces and bounds its calls: what is left decides the replies. */
const PACE_OF_MODEL = ['requests_per_second', 'max_attempts', 'timeout_sec', 'max_reply_mb'];

/** The fields that pace the model of a section such as `agent.lm`. */
export function paceOfModel(section: string): string[] {
  return PACE_OF_MODEL.map((field) => `${section}.${field}`);
}

/** A model's section without what paces its calls. */
export function askedOfModel(lm: object): object {
  return withoutFields(lm, PACE_OF_MODEL);
}

/** The value of a field such as `limits.max_lm_calls`; undefined where there is none. */
export function valueAt(config: unknown, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>((value, name) => (isMapping(value) ? value[name] : undefined), config);
}

function withoutFields(config: object, fields: readonly string[]): Record<string, unknown> {
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

/** Whether a value is a whole config of a kind: an input may name one only, and a folder may hold another kind's. */
export function isWhole<Config extends object>(kind: ConfigKind<Config>, value: unknown): value is Config {
  if (!isMapping(value)) return false;
  return Object.keys(kind.schema(value).shape).every((field) => field in value);
}

/** The first field in which two values differ, by its dotted path, e.g. `lm.temperature`; null where there is none. */
export function firstDifferentField(one: unknown, other: unknown, path = ''): string | null {
  if (isDeepStrictEqual(one, other)) return null;
  if (!isMapping(one) || !isMapping(other)) return path;
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const inner = firstDifferentField(one[key], other[key], path === '' ? key : `${path}.${key}`);
    if (inner !== null) return inner;
  }
  return path;
}

/** Two configs as they are compared, without some of their fields. */
function comparedWithout<Config extends object>(
  kind: ConfigKind<Config>,
  [earlier, asked]: readonly [Config, Config],
  fields: readonly string[],
): [Record<string, unknown>, Record<string, unknown>] {
  const compared = (config: Config) => withoutFields(kind.compared?.(config, earlier) ?? config, fields);
  return [compared(earlier), compared(asked)];
}

/** The first field in which a config asks for something else than an earlier one, e.g. `lm.temperature`; else null. */
export function differenceOf<Config extends object>(
  kind: ConfigKind<Config>,
  earlier: Config,
  asked: Config,
): string | null {
  const { concurrency, fixed, free } = kind.pace;
  return firstDifferentField(...comparedWithout(kind, [earlier, asked], [concurrency, ...fixed, ...free]));
}

/** Compares two configs that ask the same questions. */
export function paceChange<Config extends object>(
  kind: ConfigKind<Config>,
  earlier: Config,
  asked: Config,
): PaceChange {
  const { concurrency: at, free } = kind.pace;
  const [before, now] = comparedWithout(kind, [earlier, asked], [at, ...free]);
  const field = firstDifferentField(before, now);
  const [was, wanted] = [valueAt(earlier, at), valueAt(asked, at)];
  return {
    concurrency: was === wanted || kind.oneByOne?.(asked) ? null : (wanted as number),
    fixed: field === null ? null : { field, was: valueAt(before, field), asked: valueAt(now, field) },
  };
}
