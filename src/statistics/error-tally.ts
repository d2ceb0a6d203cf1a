import type { EpisodeError, ErrorCause } from '../contracts/results.js';

/** Maximum characters of a message in the metrics; the rows contain the whole message. */
const MAX_CHARACTERS = 400;
/** Maximum number of causes of one type. */
const MAX_CAUSES = 10;

/** Counts of errors by type and by cause. */
export class ErrorTally {
  /** Names from providers, environments and agents may be `constructor`, so that maps are used instead of objects. */
  private readonly types = new Map<string, { count: number; causes: Map<string, ErrorCause> }>();

  add({ type, message }: EpisodeError): void {
    const of = this.types.get(type) ?? { count: 0, causes: new Map<string, ErrorCause>() };
    this.types.set(type, of);
    of.count += 1;
    const cause = causeOf(message);
    const before = of.causes.get(cause);
    if (before !== undefined) before.count += 1;
    else if (of.causes.size < MAX_CAUSES) {
      of.causes.set(cause, { type, message: shortened(message), count: 1 });
    }
  }

  get total(): number {
    return [...this.types.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Returns counts by type, sorted. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.sorted().map(([type, { count }]) => [type, count]));
  }

  /** Returns the causes for the metrics, the most frequent one of each type first; empty where there was no error. */
  causes(): { error_causes?: ErrorCause[] } {
    const causes = this.sorted().flatMap(([, of]) =>
      [...of.causes.values()].sort((left, right) => right.count - left.count),
    );
    return causes.length === 0 ? {} : { error_causes: causes };
  }

  private sorted() {
    return [...this.types].sort(([left], [right]) => (left < right ? -1 : 1));
  }
}

/** Adds a number of errors of one type to counts by type; undefined where none remain. */
export function withErrors(
  counts: Readonly<Record<string, number>> = {},
  type: string,
  more = 1,
): Record<string, number> | undefined {
  const of = new Map(Object.entries(counts));
  of.set(type, (of.get(type) ?? 0) + more);
  const left = [...of].filter(([, count]) => count > 0);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** Number of errors, and by type; absent: none. */
export interface ErrorCounts {
  errors: number;
  errors_by_type?: Record<string, number>;
}

/** Adds numbers of errors. */
export function addErrors(left: ErrorCounts, right: ErrorCounts): ErrorCounts {
  let { errors_by_type } = left;
  for (const [type, count] of Object.entries(right.errors_by_type ?? {}))
    errors_by_type = withErrors(errors_by_type, type, count);
  return {
    errors: left.errors + right.errors,
    ...(errors_by_type === undefined ? {} : { errors_by_type }),
  };
}

/** Reduces a message to what its cause determines: no numbers, request ids and long quotations. */
function causeOf(message: string): string {
  return message
    .slice(0, MAX_CHARACTERS)
    .replace(/"[^"]{40,}"?/g, '"…"')
    .replace(/[\w-]+/g, (word) => (/\d/.test(word) ? '#' : word))
    .toLowerCase();
}

/** Shortens a message for the metrics. */
export function shortened(message: string): string {
  return message.length <= MAX_CHARACTERS ? message : `${message.slice(0, MAX_CHARACTERS)}…`;
}
