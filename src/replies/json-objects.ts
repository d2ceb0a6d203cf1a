/** Lines that begin or end a fenced block, and what matters in JSON; of a brace that begins an object, its next mark. */
const MARKS = /^[ \t]*```\w*[ \t]*$|\\.|["}]|\{(?=\s*(["}]?))/gms;

/**
 * Finds the JSON objects in a text, outermost ones only. Braces in their quotes, or escaped, are text, and so is a brace
 * of prose or of a program, such as `if (x) {`. An object ends within its fenced block, or not at all.
 */
function objectsIn(text: string) {
  const found: { object: Record<string, unknown>; end: number }[] = [];
  let [start, depth, isQuoted] = [0, 0, false];
  for (const { 0: mark, 1: next, index } of text.matchAll(MARKS)) {
    if (mark.includes('```')) [depth, isQuoted] = [0, false];
    else if (mark === '"') isQuoted = depth > 0 && !isQuoted;
    else if (isQuoted) continue;
    else if (mark === '{' && (depth > 0 || next !== '')) {
      if (depth === 0) start = index;
      depth += 1;
    } else if (mark === '}' && depth > 0) {
      depth -= 1;
      const object = depth === 0 ? objectIn(text.slice(start, index + 1)) : null;
      if (object !== null) found.push({ object, end: index + 1 });
    }
  }
  return found;
}

/** Matches the texts in JSON, and commas before a closing bracket. */
const PIECES = /"(?:[^"\\]|\\[\s\S])*"?|,(?=\s*[}\]])/g;

/** Parses an object in which models leave LaTeX and line breaks in a text as they are, or write commas too much. */
function objectIn(candidate: string): Record<string, unknown> | null {
  const mended = candidate.replace(PIECES, (piece) =>
    piece.replace(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|[\\\p{Cc}]|^,$/gu, (code) => {
      if (code === ',') return '';
      return code.length > 1 ? code : JSON.stringify(code).slice(1, -1);
    }),
  );
  try {
    // It begins with a brace, so it is no other value.
    return JSON.parse(mended) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/**
 * Returns the last JSON object of a reply that has all of some fields, else the last one. None counts before one with
 * some of the fields that is cut off or cannot be read: what is judged could have planted it.
 */
export function lastObject(
  text: string,
  fields: readonly string[],
): { object: Record<string, unknown> } | { fault: string } {
  const objects = objectsIn(text);
  const whole = objects.findLast(({ object }) => fields.every((field) => Object.hasOwn(object, field)));
  if (whole !== undefined && !beginsObject(text.slice(whole.end), fields)) return whole;
  // A piece of JSON that is quoted and never ends hides what follows.
  const line = text.lastIndexOf('\n{') + 1;
  if (whole === undefined && line > 0 && !beginsObject(text.slice(0, line), [...fields, 'reason']))
    return lastObject(text.slice(line), fields);
  const last = objects.at(-1);
  if (last === undefined) return { fault: 'The reply holds no JSON object.' };
  return last === whole ? { fault: 'The last JSON object of the reply cannot be read.' } : last;
}

/** Reports whether a JSON object with one of some fields begins in a text, be it cut off or unreadable. */
function beginsObject(text: string, fields: readonly string[]): boolean {
  const start = text.search(/\{\s*"/);
  const names = start === -1 ? [] : [...text.slice(start).matchAll(/"([^"\n]{0,64})"\s*:/g)];
  return names.some(([, name = '']) => fields.includes(name));
}
