import { runAtOnce, runUserCode, shownValue } from '../../../../contracts/run-user-code.js';
import type { DatasetExample } from '../types.js';
import type { Domain, DomainScore } from './domain.js';

/** A user's scorer: a score that is finite and not negative, alone or with what it says of it, in words and in metrics. */
type CustomScorer = (
  output: string,
  example: DatasetExample,
) => number | Partial<DomainScore> | Promise<number | Partial<DomainScore>>;

/** What a user's file exports: `score`, or a default export that is one; the rest where it is needed. */
export interface CustomDomainModule {
  score: CustomScorer;
  expectedOutput?: (example: DatasetExample) => string | number;
  findFault?: (example: DatasetExample) => string | null | undefined;
  generate?: (seed: number, count: number) => DatasetExample[];
  answerFormat?: string;
  perfect?: number | null;
}

/**
 * The domain that a user's file makes. Without `expectedOutput`, prompts show the example's scoring data as JSON.
 * @param loaded the module's exports.
 * @throws TypeError that says what the file lacks.
 */
export function customDomain(loaded: unknown): Domain {
  const found = exportsOf(loaded);
  const { score, expectedOutput, findFault, generate } = found;
  if (typeof score !== 'function') {
    throw new TypeError('the file of a custom domain has to export a function score(output, example)');
  }
  for (const name of ['expectedOutput', 'findFault', 'generate'] as const) {
    if (found[name] !== undefined && typeof found[name] !== 'function') {
      throw new TypeError(`${name} of a custom domain is not a function`);
    }
  }
  if (found.answerFormat !== undefined && typeof found.answerFormat !== 'string') {
    throw new TypeError('answerFormat of a custom domain is not a text');
  }
  return {
    answerFormat: found.answerFormat ?? '',
    perfect: found.perfect === undefined ? 1 : found.perfect,
    findFault(example) {
      const fault = runAtOnce(() => findFault?.(example)) ?? null;
      if (fault !== null) return typeof fault === 'string' ? fault : notA('findFault', fault, 'text or null');
      let expected: unknown;
      try {
        expected = runAtOnce(() => expectedOutput?.(example));
      } catch (error) {
        return `expectedOutput failed: ${(error as Error).message}`;
      }
      return expectedOutput === undefined || isText(expected)
        ? null
        : notA('expectedOutput', expected, 'text');
    },
    async score(output, example) {
      return runUserCode(async () => {
        const answer = await score(output, example);
        if (typeof answer !== 'object' || answer === null) return { score: answer as number, message: '' };
        const { score: figure, message = '', metrics } = answer;
        return { score: figure as number, message, ...(metrics == null ? {} : { metrics }) };
      });
    },
    expectedOutput(example) {
      return expectedOutput === undefined
        ? JSON.stringify(example.scoring_data, null, 2)
        : runAtOnce(() => String(expectedOutput(example)));
    },
    ...(generate === undefined ? {} : { generate }),
  };
}

/** A number is as good: it is shown as it prints. */
const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number';

function notA(name: string, value: unknown, wanted: string): string {
  const kind = value instanceof Promise ? 'a promise' : shownValue(value);
  return `${name} of the custom domain answers ${kind}, which is no ${wanted}`;
}

/** The named exports, or the default one: an object of them, or the scorer itself. */
function exportsOf(loaded: unknown): Partial<CustomDomainModule> {
  const named = (loaded ?? {}) as Partial<CustomDomainModule> & { default?: unknown };
  if (typeof named.score === 'function' || named.default === undefined) return named;
  return typeof named.default === 'function'
    ? { ...named, score: named.default as CustomScorer }
    : (named.default as Partial<CustomDomainModule>);
}
