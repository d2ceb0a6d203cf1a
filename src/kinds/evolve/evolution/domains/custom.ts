import { runAtOnce, runUserCode, shownValue } from '../../../../contracts/run-user-code.js';
import type { DatasetExample } from '../types.js';
import type { Domain, DomainScore } from './domain.js';

/** Scorer of a user: returns a finite score that is not negative, alone or with a message and metrics. */
type CustomScorer = (
  output: string,
  example: DatasetExample,
) => number | Partial<DomainScore> | Promise<number | Partial<DomainScore>>;

/** Exports of a user's file: `score`, or a default export that is the scorer; the others are optional. */
export interface CustomDomainModule {
  score: CustomScorer;
  expectedOutput?: (example: DatasetExample) => string | number;
  findFault?: (example: DatasetExample) => string | null | undefined;
  generate?: (seed: number, count: number) => DatasetExample[];
  answerFormat?: string;
  perfect?: number | null;
}

/**
 * Creates the domain of a user's file. Without `expectedOutput`, prompts show the example's scoring data as JSON.
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

/** Reports whether a value is a text, or prints as one. */
const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number';

function notA(name: string, value: unknown, wanted: string): string {
  const kind = value instanceof Promise ? 'a promise' : shownValue(value);
  return `${name} of the custom domain answers ${kind}, which is no ${wanted}`;
}

/** Returns the named exports, or those of the default export: an object of them, or the scorer itself. */
function exportsOf(loaded: unknown): Partial<CustomDomainModule> {
  const named = (loaded ?? {}) as Partial<CustomDomainModule> & { default?: unknown };
  if (typeof named.score === 'function' || named.default === undefined) return named;
  return typeof named.default === 'function'
    ? { ...named, score: named.default as CustomScorer }
    : (named.default as Partial<CustomDomainModule>);
}
