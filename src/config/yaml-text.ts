import { isCollection, isMap, LineCounter, type Pair, parseDocument, Scalar, visit } from 'yaml';
import { AsWritten } from '../contracts/as-written.js';
import type { Json } from '../contracts/json.js';

/** Error of a text that is not exactly one YAML document. {@link quiet} quotes nothing of the text. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  constructor(
    message: string,
    readonly quiet: string,
  ) {
    super(message);
  }
}

/**
 * Parses a YAML text and applies merge keys (`<<`). A scalar that JavaScript would write differently becomes an {@link
 * AsWritten}: see {@link asValues} and {@link asTexts}.
 * @throws YamlError
 */
export function parseYaml(text: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `line ${line}, column ${col}`;
  };
  const [problem] = document.errors;
  if (problem?.code === 'MULTIPLE_DOCS') {
    const { line } = lines.linePos(problem.pos[0]);
    const message = `it holds several documents, of which line ${line} (---) begins another: put each into a file of its own`;
    throw new YamlError(message, message);
  }
  if (problem !== undefined) {
    const what = problem.code.toLowerCase().replaceAll('_', ' ');
    throw new YamlError(problem.message.trim(), `${what} at ${at(problem.pos[0])}`);
  }
  visit(document, {
    Pair: (_, pair, [...path]) => {
      const parent = path.at(-1);
      if (isMap(parent) && parent.flow === true && pair.value === null) throw withoutValue(pair, at);
    },
    Scalar: (role, scalar) => keepText(role, scalar),
    Alias: (_, alias, path) => {
      // To resolve an alias is to walk through the document.
      const isWithin = path.some((node) => isCollection(node) && node.anchor === alias.source);
      const target = isWithin ? alias.resolve(document) : undefined;
      if (target === undefined || !path.includes(target)) return;
      const place = at(alias.range?.[0] ?? 0);
      throw new YamlError(
        `*${alias.source} at ${place} stands within &${alias.source}`,
        `an alias of itself at ${place}`,
      );
    },
  });
  try {
    return document.toJS();
  } catch (error) {
    throw new YamlError(
      (error as Error).message,
      'an alias without its anchor, or too many of them, or a merge key with something else than a mapping',
    );
  }
}

/** Creates the error of a key without a value, such as `000` in `{ answer: 1,000 }`. */
function withoutValue({ key }: Pair, at: (offset: number) => string): YamlError {
  const { source, value, range } = key as Scalar;
  const place = at(range?.[0] ?? 0);
  const wayOut = 'within { … } a text with a comma is written in quotes';
  return new YamlError(
    `'${source ?? value}' at ${place} stands without a value: ${wayOut}`,
    `a key at ${place} stands without a value: ${wayOut}`,
  );
}

function keepText(role: number | 'key' | 'value' | null, scalar: Scalar): void {
  const { value, source, type, tag } = scalar;
  const isOwn = type !== Scalar.PLAIN || tag !== undefined || source === undefined;
  if (isOwn || value === null || ['string', 'symbol'].includes(typeof value)) return;
  if (role === 'key') scalar.value = source;
  // JavaScript rounds integers beyond 2^53, and the rounded form may equal the source.
  else if (String(value) !== source || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    scalar.value = new AsWritten(source, value as Json);
  }
}

/** Returns a parsed text with its scalars as values: `1.10` is 1.1. */
export function asValues(parsed: unknown): unknown {
  return withScalars(parsed, ({ value }) => value);
}

/** Returns a parsed text with its {@link AsWritten} scalars as texts: `1.10` is "1.10". */
export function asTexts(parsed: unknown): unknown {
  return withScalars(parsed, ({ text }) => text);
}

function withScalars(parsed: unknown, scalar: (written: AsWritten) => unknown): unknown {
  if (typeof parsed !== 'object' || parsed === null) return parsed;
  if (parsed instanceof AsWritten) return scalar(parsed);
  if (Array.isArray(parsed)) return parsed.map((item) => withScalars(item, scalar));
  // Scalars with a tag may be dates or bytes.
  if (Object.getPrototypeOf(parsed) !== Object.prototype) return parsed;
  return Object.fromEntries(Object.entries(parsed).map(([name, item]) => [name, withScalars(item, scalar)]));
}
