import { isMapping } from '../contracts/json.js';

type Mapping = Record<string, unknown>;

/** A file of the user's is a custom domain. */
const CODE_FILE = /\.[cm]?[jt]s$/;

/** `game24` is `{name: game24}`, `score.ts` is `{name: custom, file: score.ts}`. */
export function shortDomain(domain: string): Mapping {
  return CODE_FILE.test(domain) ? { name: 'custom', file: domain } : { name: domain };
}

/**
 * Writes out what may be said in a word: `domain: game24`, `selection: islands`, `sandbox: process`, `executor: none`,
 * and a model's name in the place of `scaffolder` and `executor`.
 */
export function withoutShortForms(raw: Mapping): Mapping {
  const { domain, selection, sandbox, scaffolder, executor } = raw;
  return {
    ...raw,
    ...(typeof domain === 'string' && { domain: shortDomain(domain) }),
    ...(typeof selection === 'string' && { selection: { type: selection } }),
    ...(typeof sandbox === 'string' && { sandbox: { type: sandbox } }),
    ...(typeof scaffolder === 'string' && { scaffolder: { lm: { model: scaffolder } } }),
    ...(typeof executor === 'string' && {
      executor: executor === 'none' ? null : { lm: { model: executor } },
    }),
  };
}

/** A section as a mapping of its own; empty where it is none. */
export function sectionOf(raw: Mapping, key: string): Mapping {
  const value = raw[key];
  return isMapping(value) ? { ...value } : {};
}
