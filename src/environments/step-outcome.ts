import type { ResetOutcome, StepOutcome } from '../contracts/environment.js';
import { isMapping } from '../contracts/json.js';
import { nothingChanged, nothingLost } from '../contracts/kept-json.js';
import { asError, shownValue } from '../contracts/run-user-code.js';

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown) => typeof value === 'string';
const isTruth = (value: unknown) => typeof value === 'boolean';

/** Required types of the fields. Wrong ones could be taken for a score: `'no'` is truthy, NaN is null in JSON. */
const RULES: readonly [
  field: string,
  expected: string,
  holds: (outcome: Fields, feedback: Fields) => boolean,
][] = [
  ['done', 'true or false', ({ done }) => isTruth(done)],
  ['obs', 'a text, unless it is done', ({ obs, done }) => done === true || isText(obs)],
  ['reward', 'a finite number, or left out', ({ reward }) => reward === undefined || Number.isFinite(reward)],
  ['feedback.correct', 'true or false', (_, { correct }) => isTruth(correct)],
  ['feedback.target', 'a text', (_, { target }) => isText(target)],
  ['feedback.message', 'a text', (_, { message }) => isText(message)],
  ['feedback.extra', 'an object, or left out', (_, { extra }) => extra === undefined || isMapping(extra)],
  ['info', 'an object, or left out', ({ info }) => info === undefined || isMapping(info)],
];

/** Formats the value at a path of at most two fields for people. */
function shown(outcome: Fields, field: string): string {
  const value = field.split('.').reduce<unknown>((inner, key) => (inner as Fields)[key], outcome);
  return shownValue(value);
}

/**
 * Validates the outcome of an environment's `step`. A user's class is not type-checked elsewhere: its file is loaded
 * without that. Throws TypeError that names the field and the expected type.
 */
export function checkedOutcome(outcome: unknown): StepOutcome {
  if (!isMapping(outcome))
    throw new TypeError('step answered no object of state, obs, feedback, done and info');
  const { feedback } = outcome;
  if (!isMapping(feedback))
    throw new TypeError('step answered no feedback: an object of correct, target and message');
  for (const [field, expected, holds] of RULES) {
    if (holds(outcome, feedback)) continue;
    throw new TypeError(`step answered ${field}: ${shown(outcome, field)}; it must be ${expected}`);
  }
  // The state after the last step is left out.
  checkJson('step', outcome.done === true ? { ...outcome, state: null } : outcome);
  return outcome as unknown as StepOutcome;
}

/** Validates the outcome of an environment's `reset`. Throws TypeError that names the field and the expected type. */
export function checkedBegin(outcome: unknown): ResetOutcome {
  if (!isMapping(outcome)) throw new TypeError('reset answered no object of state and obs');
  if (!isText(outcome.obs))
    throw new TypeError(`reset answered obs: ${shown(outcome, 'obs')}; it must be a text`);
  checkJson('reset', outcome);
  const { state = null, obs } = outcome as { state?: ResetOutcome['state']; obs: string };
  return { state, obs };
}

/** Checks that an outcome can be written to histories and files. */
function checkJson(method: string, outcome: Fields): void {
  try {
    JSON.stringify(outcome, nothingLost);
    JSON.stringify(outcome.state, nothingChanged);
  } catch (error) {
    throw new TypeError(`${method} answered what cannot be written as JSON: ${asError(error).message}`);
  }
}
