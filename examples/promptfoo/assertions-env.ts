import {
  Environment,
  type Feedback,
  finalStep,
  type Json,
  type ResetOutcome,
  type StepOutcome,
} from 'reprise';

/** An assertion as promptfoo writes it; `not-` before its type negates it. */
interface Assertion {
  type: string;
  value?: Json;
  /** Share in the score; 1 unless said otherwise, and 0 for one that only measures. */
  weight?: number;
}

type Check = (output: string, value: Json | undefined) => boolean;

const list = (value: Json | undefined) => (Array.isArray(value) ? value : [value]).map(String);
const lower = (text: unknown) => String(text).toLowerCase();

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** JSON text with fields in the order of their names, to compare by. */
function canonical(value: Json | undefined): string | undefined {
  return JSON.stringify(value, (_, inner: Json) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
}

/** Finds an object or a list of JSON within a text. */
function containsJson(text: string): boolean {
  for (const { index } of text.matchAll(/[{[]/g)) {
    let depth = 0;
    for (const token of text.slice(index).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
      if (/^[{[]/.test(token[0])) depth += 1;
      else if (/^[}\]]/.test(token[0])) depth -= 1;
      if (depth > 0) continue;
      if (parsed(text.slice(index, index + token.index + 1)) !== undefined) return true;
      break;
    }
  }
  return false;
}

function wordCount(output: string, value: Json | undefined): boolean {
  const words = output.trim().split(/\s+/).filter(Boolean).length;
  if (value === null || typeof value !== 'object') return words === Number(value);
  const { min = 0, max = Number.POSITIVE_INFINITY } = value as { min?: number; max?: number };
  return words >= min && words <= max;
}

/** What an output has to be, by type. A further type of yours is a further line. */
const CHECKS: Record<string, Check> = {
  equals: (output, value) =>
    typeof value === 'object' ? canonical(parsed(output)) === canonical(value) : output === String(value),
  contains: (output, value) => output.includes(String(value)),
  icontains: (output, value) => lower(output).includes(lower(value)),
  'contains-any': (output, value) => list(value).some((one) => output.includes(one)),
  'contains-all': (output, value) => list(value).every((one) => output.includes(one)),
  'icontains-any': (output, value) => list(value).some((one) => lower(output).includes(lower(one))),
  'icontains-all': (output, value) => list(value).every((one) => lower(output).includes(lower(one))),
  'starts-with': (output, value) => output.startsWith(String(value)),
  regex: (output, value) => new RegExp(String(value)).test(output),
  'is-json': (output) => parsed(output) !== undefined,
  'contains-json': containsJson,
  'word-count': wordCount,
};

function passes({ type, value }: Assertion, output: string): boolean {
  const negated = type.startsWith('not-');
  const check = CHECKS[negated ? type.slice('not-'.length) : type] as Check;
  return check(output, value) !== negated;
}

/**
 * Judges a reply by the assertions in its row's `assert`. The reward is the weighted share of those that pass; correct
 * is a reply with all of them, or, where the row has a `threshold`, with a reward of at least that. A row without any
 * needs a `criterion`, by which a scorer judges; every reply is correct there.
 */
export class AssertionsEnv extends Environment {
  private get assertions(): Assertion[] {
    return (this.task.metadata.assert ?? []) as unknown as Assertion[];
  }

  override validate(): void {
    if (this.assertions.length === 0 && this.task.metadata.criterion === undefined)
      throw new Error('dataset.meta_fields: the row has no assertions in assert, and no criterion');
    for (const assertion of this.assertions) {
      if (!Object.hasOwn(CHECKS, assertion.type.replace(/^not-/, ''))) {
        throw new Error(`assert: '${assertion.type}' is none of ${Object.keys(CHECKS).join(', ')}`);
      }
      passes(assertion, '');
    }
  }

  reset(): ResetOutcome {
    return { state: null, obs: this.instruct(this.task.question) };
  }

  step(_state: Json, action: string): StepOutcome {
    const judged = this.assertions.map((one) => ({
      ...one,
      weight: one.weight ?? 1,
      pass: passes(one, action),
    }));
    const weights = judged.reduce((sum, { weight }) => sum + weight, 0);
    const passed = judged.reduce((sum, { weight, pass }) => sum + (pass ? weight : 0), 0);
    const reward = weights === 0 ? 1 : passed / weights;
    const failed = judged.filter(({ pass, weight }) => !pass && weight > 0);
    const { threshold } = this.task.metadata;
    const allPass =
      judged.length === 0 ? 'There is no assertion; a scorer judges.' : 'Every assertion passes.';
    const feedback: Feedback = {
      correct: typeof threshold === 'number' ? reward >= threshold : failed.length === 0,
      target: '',
      message:
        failed.length === 0
          ? allPass
          : `Not so: ${failed.map(({ type, value }) => `${type} ${JSON.stringify(value) ?? ''}`.trim()).join('; ')}`,
    };
    return { ...finalStep(feedback), reward };
  }
}
