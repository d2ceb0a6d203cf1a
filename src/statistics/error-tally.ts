import type { EpisodeError, ErrorCause } from '../contracts/results.js';

/** Characters of a message that are kept: what a person needs to know what was wrong; the rows have the whole. */
const MOST_CHARACTERS = 400;
/** Causes of one type that are told apart. */
const MOST_CAUSES = 10;

/** How often each type of error came up, and each cause of it. */
export class ErrorTally {
  /** What providers, environments and agents name may be called `constructor`: kept in maps, not in objects. */
  private readonly types = new Map<string, { count: number; causes: Map<string, ErrorCause> }>();

  add({ type, message }: EpisodeError): void {
    const of = this.types.get(type) ?? { count: 0, causes: new Map<string, ErrorCause>() };
    this.types.set(type, of);
    of.count += 1;
    const cause = causeOf(message);
    const before = of.causes.get(cause);
    if (before !== undefined) before.count += 1;
    else if (of.causes.size < MOST_CAUSES) {
      of.causes.set(cause, { type, message: shortened(message), count: 1 });
    }
  }

  get total(): number {
    return [...this.types.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** By type, in the order of their names. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.sorted().map(([type, { count }]) => [type, count]));
  }

  /** As a figure of the metrics, the most frequent cause of a type first; nothing where there was no error. */
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

/** Counts by the type of error, and so many more of one; absent where there is none. */
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

/** What a message has in common with others of the same cause: without numbers, names of requests and long quotations. */
function causeOf(message: string): string {
  return message
    .slice(0, MOST_CHARACTERS)
    .replace(/"[^"]{40,}"?/g, '"…"')
    .replace(/[\w-]+/g, (word) => (/\d/.test(word) ? '#' : word))
    .toLowerCase();
}

/** A message as the metrics have it. */
export function shortened(message: string): string {
  return message.length <= MOST_CHARACTERS ? message : `${message.slice(0, MOST_CHARACTERS)}…`;
}
