import { InvalidInputError } from './errors.js';
import { asTexts, asValues, parseYaml } from './yaml-text.js';

const FORBIDDEN = new Set(['__proto__', 'prototype', 'constructor']);

/**
 * Applies `--set runtime.num_trials=3`. The value is read as YAML, so numbers, booleans, null, lists and mappings work;
 * `a.b=` sets the empty text. Rows of `dataset.items` and ids of `dataset.select` stay as
 * they are written.
 */
export function applyOverride(config: Record<string, unknown>, assignment: string): void {
  const equals = assignment.indexOf('=');
  const path = assignment.slice(0, Math.max(equals, 0)).trim().split('.');
  if (equals < 1 || path.some((part) => part === '' || FORBIDDEN.has(part))) {
    throw new InvalidInputError(
      `--set ${assignment}: write it as section.field=value, e.g. runtime.num_trials=3`,
    );
  }
  const text = assignment.slice(equals + 1);
  let value: unknown;
  try {
    const isText = /^dataset\.(?:(?:few_shot\.)?items|select\.ids)\b/.test(path.join('.'));
    value = text === '' ? '' : (isText ? asTexts : asValues)(parseYaml(text));
  } catch {
    value = text;
  }
  let target = config;
  for (const part of path.slice(0, -1)) {
    const inner = target[part] ?? {};
    if (typeof inner !== 'object' || inner === null) {
      throw new InvalidInputError(
        `--set ${assignment}: '${part}' is not a section of the config`,
        path.join('.'),
      );
    }
    target[part] = Array.isArray(inner) ? [...inner] : { ...inner };
    target = target[part] as Record<string, unknown>;
  }
  target[path.at(-1) as string] = value;
}
