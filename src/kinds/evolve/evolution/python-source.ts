/** Part of Python source. The segments joined are the source again, character by character. */
export interface PythonSegment {
  kind: 'code' | 'string' | 'comment';
  text: string;
}

export interface ScannedPython {
  segments: PythonSegment[];
  /** True if the source ends inside a triple-quoted string. */
  endsInString: boolean;
}

const STARTS = /#|"""|'''|"|'/g;

/** Maximum nesting of strings and formats in the expressions of f-strings; deeper ones are read as plain text. */
const DEEPEST_NESTING = 10;

/**
 * Separates comments and strings from the rest of Python source. It is not a parser: it accepts any text, and a string
 * that is not closed on its line ends with the line, as if the quote were missing.
 */
export function scanPython(source: string): ScannedPython {
  const segments: PythonSegment[] = [];
  const add = (kind: PythonSegment['kind'], from: number, to: number) => {
    if (to > from) segments.push({ kind, text: source.slice(from, to) });
  };
  let position = 0;
  let endsInString = false;
  for (;;) {
    STARTS.lastIndex = position;
    const start = STARTS.exec(source);
    if (start === null) break;
    add('code', position, start.index);
    const [mark] = start;
    if (mark === '#') {
      position = endOfLine(source, start.index);
      add('comment', start.index, position);
      continue;
    }
    const end = stringEnd(source, start.index, mark, 0);
    endsInString = end < 0 && mark.length === 3;
    position = end < 0 ? source.length : end;
    add('string', start.index, position);
  }
  add('code', position, source.length);
  return { segments, endsInString };
}

/** Returns a program with its strings and comments emptied, so that what they mention does not count. */
export function codeOf(source: string): string {
  return scanPython(source)
    .segments.map(({ kind, text }) => (kind === 'code' ? text : '""'))
    .join('');
}

/** Returns the position after a string that opens with `mark`; -1 where a triple-quoted one is not closed. */
function stringEnd(source: string, opening: number, mark: string, nesting: number): number {
  const isTriple = mark.length === 3;
  const isFormatted = hasFormatPrefix(source, opening) && nesting < DEEPEST_NESTING;
  let position = opening + mark.length;
  while (position < source.length) {
    const character = source[position];
    if (character === '\\') position += 2;
    else if (source.startsWith(mark, position)) return position + mark.length;
    else if (character === '\n' && !isTriple) return position;
    else if (character === '{' && isFormatted && source[position + 1] === '{') position += 2;
    else if (character === '{' && isFormatted) {
      position = expressionEnd(source, position + 1, mark, nesting + 1);
      if (position < 0) return isTriple ? -1 : source.length;
    } else position += 1;
  }
  return isTriple ? -1 : source.length;
}

/** Returns the position after the `}` of an f-string's expression, or the line's end where it may not span lines. */
function expressionEnd(source: string, from: number, mark: string, nesting: number): number {
  let open = 0;
  let position = from;
  while (position < source.length) {
    const character = source[position] as string;
    if (character === '\n' && mark.length === 1) return position;
    if (character === '}' && open === 0) return position + 1;
    // Not of a walrus, a slice or a lambda: these need brackets here.
    if (character === ':' && open === 0) return formatEnd(source, position + 1, mark, nesting);
    if ('([{'.includes(character)) open += 1;
    else if (')]}'.includes(character)) open -= 1;
    if (character === '"' || character === "'") {
      const triple = character.repeat(3);
      position = stringEnd(
        source,
        position,
        source.startsWith(triple, position) ? triple : character,
        nesting,
      );
      if (position < 0) return -1;
    } else position += 1;
  }
  return -1;
}

/**
 * Returns the position after the `}` of a replacement field with a format, as in `{x:'>{width}}`. In the format only
 * expressions in braces and the end of the string have a meaning.
 */
function formatEnd(source: string, from: number, mark: string, nesting: number): number {
  let position = from;
  while (position < source.length) {
    const character = source[position] as string;
    if (character === '}') return position + 1;
    if ((character === '\n' && mark.length === 1) || source.startsWith(mark, position)) return position;
    if (character === '\\') position += 2;
    else if (character === '{' && nesting < DEEPEST_NESTING) {
      position = expressionEnd(source, position + 1, mark, nesting + 1);
      if (position < 0) return -1;
    } else position += 1;
  }
  return -1;
}

/** Reports whether the letters before a quote make it an f-string (or a t-string, which has the same expressions). */
function hasFormatPrefix(source: string, quote: number): boolean {
  const before = source.slice(Math.max(0, quote - 3), quote);
  return /(?:^|[^\w])(?:[ft]r?|r[ft])$/i.test(before);
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf('\n', from);
  return end < 0 ? source.length : end;
}
