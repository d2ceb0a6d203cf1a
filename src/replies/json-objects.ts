/** JSON object in a reply, and the offset of what stands behind it. */
interface FoundObject {
  object: Record<string, unknown>;
  end: number;
}

/** Lines that begin or end a fenced block, and what matters in JSON; of a brace that begins an object, its next mark. */
const MARKS = /^[ \t]*```\w*[ \t]*$|\\.|["}]|\{(?=\s*(["}]?))/gms;

/**
 * Finds where JSON objects stand in a text, outermost ones only. Braces in their quotes, or escaped, are text, and so
 * is a brace of prose or of a program, such as `if (x) {`. An object ends within its fenced block, or not at all.
 */
function placesOf(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
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
      if (depth === 0) found.push({ start, end: index + 1 });
    }
  }
  return found;
}

/** Matches the texts in JSON, and commas before a closing bracket. */
const PIECES = /"(?:[^"\\]|\\[\s\S])*"?|,(?=\s*[}\]])/g;

/** Escapes what models leave as it is in a text, such as LaTeX and line breaks, and drops commas too much. */
function mended(candidate: string): string {
  return candidate.replace(PIECES, (piece) =>
    piece.replace(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|[\\\p{Cc}]|^,$/gu, (code) => {
      if (code === ',') return '';
      return code.length > 1 ? code : JSON.stringify(code).slice(1, -1);
    }),
  );
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    // It begins with a brace, so it is no other value.
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Finds the JSON objects in a reply, in order; what models write wrongly in them is mended. */
export function objectsIn(text: string): FoundObject[] {
  return placesOf(text).flatMap(({ start, end }) => {
    const candidate = text.slice(start, end);
    const object = objectIn(candidate) ?? objectIn(mended(candidate));
    return object === null ? [] : [{ object, end }];
  });
}

/** Reports whether a JSON object with one of some fields begins in a text, be it cut off or unreadable. */
export function beginsObject(text: string, fields: readonly string[]): boolean {
  const start = text.search(/\{\s*"/);
  if (start === -1) return false;
  const written = new Set(
    Array.from(text.slice(start).matchAll(/"([^"\n]{0,64})"\s*:/g), ([, name]) => name),
  );
  return fields.some((field) => written.has(field));
}
