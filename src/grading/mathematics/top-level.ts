const OPENING = new Set(['(', '[', '{', '\\{', '\\begin', '\\lfloor', '\\lceil', '\\langle']);
const CLOSING = new Set([')', ']', '}', '\\}', '\\end', '\\rfloor', '\\rceil', '\\rangle']);

const PIECE = /\\[a-zA-Z]+|\\[\s\S]|[\s\S]/g;

/** Yields every character and command outside of all brackets. Different brackets may match: `[0,1)`. */
function* outside(text: string): Generator<{ piece: string; at: number }> {
  let depth = 0;
  for (const match of text.matchAll(PIECE)) {
    const [piece] = match;
    if (OPENING.has(piece)) depth += 1;
    else if (CLOSING.has(piece)) depth = Math.max(0, depth - 1);
    else if (depth === 0) yield { piece, at: match.index };
  }
}

/** A part of a text, and the separator before it (`''` for the first). */
export interface Part {
  text: string;
  separator: string;
}

/** Splits at separators outside of all brackets. */
export function splitTopLevel(text: string, separators: ReadonlySet<string>): Part[] {
  const parts: Part[] = [];
  let start = 0;
  let separator = '';
  for (const { piece, at } of outside(text)) {
    if (!separators.has(piece)) continue;
    parts.push({ text: text.slice(start, at).trim(), separator });
    start = at + piece.length;
    separator = piece;
  }
  parts.push({ text: text.slice(start).trim(), separator });
  return parts;
}

/** Splits a text into its enclosing brackets and their content; `undefined` where they do not enclose all of it. */
export function enclosing(text: string): { open: string; close: string; inner: string } | undefined {
  const open = /^(?:\\\{|\\langle\s?|[([{])/.exec(text)?.[0];
  const close = /(?:\\\}|\\rangle|[)\]}])$/.exec(text)?.[0];
  if (!open || !close || open.length + close.length > text.length) return undefined;
  let depth = 0;
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (OPENING.has(piece)) depth += 1;
    else if (CLOSING.has(piece)) depth -= 1;
    if (depth === 0 && index + piece.length < text.length) return undefined;
  }
  return { open: open.trim(), close, inner: text.slice(open.length, text.length - close.length).trim() };
}
