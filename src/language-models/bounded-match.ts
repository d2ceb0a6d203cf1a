import { createContext, Script } from 'node:vm';

/** Maximum of characters of a message that a pattern searches. */
const MAXIMUM_MATCHED_CHARACTERS = 200_000;

/** Milliseconds one match may take. */
const MAXIMUM_MATCH_MS = 1000;

/** Error of a slow pattern, most likely with nested repetitions such as `(a+)+`. */
export class MatchTimeoutError extends Error {
  override readonly name = 'MatchTimeoutError';
}

const sandbox: { pattern: RegExp; subject: string; found: RegExpExecArray | null } = {
  pattern: /^/,
  subject: '',
  found: null,
};
const search = new Script('found = pattern.exec(subject)');
let context: ReturnType<typeof createContext> | undefined;

/**
 * Searches text with an untrusted pattern. JavaScript's regular expressions may take exponential time, and only a `vm`
 * time limit can stop one on the same thread. It costs about 0.1 ms per search.
 * @throws MatchTimeoutError after {@link MAXIMUM_MATCH_MS}.
 */
export function boundedMatch(pattern: RegExp, subject: string): RegExpExecArray | null {
  context ??= createContext(sandbox);
  sandbox.pattern = pattern;
  sandbox.subject = subject.slice(0, MAXIMUM_MATCHED_CHARACTERS);
  try {
    search.runInContext(context, { timeout: MAXIMUM_MATCH_MS });
    return sandbox.found;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new MatchTimeoutError(`the pattern took longer than ${MAXIMUM_MATCH_MS} ms`);
  } finally {
    sandbox.subject = '';
    sandbox.found = null;
  }
}
