import { compareScaffoldIds } from './ids.js';
import { type PythonSegment, scanPython } from './python-source.js';
import type { ScaffoldFiles } from './types.js';

/** Figures of a scaffold's code, counted without running it. */
export interface CodeTraits {
  /** Characters of the Python files without comments and blank lines. */
  characters: number;
  /** Places in the code that call the language model. */
  model_calls: number;
}

/**
 * Normalises Python source for the comparison of duplicates: without comments, blank lines and white space at the ends
 * of lines, none of which a running program can see, except after a backslash, which joins the next line to its own.
 * Everything else counts, also inside of a string: a docstring, or the spacing of a prompt. Renamed variables make
 * another program.
 */
export function normalizePython(source: string): string {
  return readPython(source).normal;
}

/** Returns a source as {@link normalizePython} does, and its segments, from one scan. */
function readPython(source: string): { normal: string; segments: PythonSegment[] } {
  const text = source.replaceAll(/\r\n?/g, '\n');
  const { segments } = scanPython(text);
  // Python rejects a NUL; below it marks the places of the strings.
  return { normal: text.includes('\0') ? text : withoutLayout(segments), segments };
}

function withoutLayout(segments: readonly PythonSegment[]): string {
  const strings: string[] = [];
  const outline = segments
    .map((segment) => {
      if (segment.kind === 'comment') return '';
      if (segment.kind === 'code') return segment.text;
      return `\0${strings.push(segment.text) - 1}\0`;
    })
    .join('');
  const lines = outline.split('\n').map((line) => {
    const trimmed = line.trimEnd();
    // Python rejects white space after a backslash.
    return trimmed.endsWith('\\') ? line : trimmed;
  });
  return lines
    .filter((line, index) => line !== '' || lines[index - 1]?.endsWith('\\'))
    .join('\n')
    .replaceAll(/\0(\d+)\0/g, (_, index) => strings[Number(index)] as string);
}

/** Fingerprint of a scaffold's code, and its figures. */
export interface CodeSummary {
  /**
   * Hash of the files' contents, the same for exact duplicates: Python as {@link normalizePython} returns it, other
   * files as they are. 128 bits, as 32 hexadecimal digits. Not a cryptographic hash.
   */
  fingerprint: string;
  traits: CodeTraits;
}

export function summarizeCode(files: ScaffoldFiles): CodeSummary {
  const traits: CodeTraits = { characters: 0, model_calls: 0 };
  const contents = Object.keys(files)
    .sort()
    .map((path) => {
      const source = files[path] as string;
      if (!isPython(path)) return [path, source];
      const { normal, segments } = readPython(source);
      traits.characters += normal.length;
      traits.model_calls += countModelCalls(segments);
      return [path, normal];
    });
  return { fingerprint: fnv1a128(JSON.stringify(contents)), traits };
}

function countModelCalls(segments: readonly PythonSegment[]): number {
  const code = segments
    .filter(({ kind }) => kind === 'code')
    .map(({ text }) => text)
    .join(' ');
  return [...code.matchAll(/\bexecute_llm(?<!\bdef\s+execute_llm)\s*\(/g)].length;
}

/** Describes the fault of a duplicate, for the model that wrote it. */
export function sameAs(scaffold: string): string {
  return `The program is the same as one that there is already (scaffold ${scaffold}). Change what it does.`;
}

/** Scaffold with its fingerprint. */
export interface Fingerprinted {
  id: string;
  fingerprint: string;
}

/**
 * Rejects exact duplicates among scaffolds that were made at the same time. The one with the first id stays, whichever
 * was finished first, and none stays that equals an earlier scaffold.
 */
export function rejectDuplicates(
  newcomers: readonly Fingerprinted[],
  earlier: readonly Fingerprinted[],
): { kept: string[]; rejected: { id: string; duplicate_of: string }[] } {
  const owners = new Map<string, string>();
  const kept: string[] = [];
  const rejected: { id: string; duplicate_of: string }[] = [];
  for (const { id, fingerprint } of inOrder(earlier)) {
    if (!owners.has(fingerprint)) owners.set(fingerprint, id);
  }
  for (const { id, fingerprint } of inOrder(newcomers)) {
    const duplicate_of = owners.get(fingerprint);
    if (duplicate_of !== undefined) rejected.push({ id, duplicate_of });
    else {
      owners.set(fingerprint, id);
      kept.push(id);
    }
  }
  return { kept, rejected };
}

function inOrder(scaffolds: readonly Fingerprinted[]): Fingerprinted[] {
  return [...scaffolds].sort((left, right) => compareScaffoldIds(left.id, right.id));
}

const isPython = (path: string) => path.endsWith('.py');

/** Computes FNV-1a with 128 bits (Fowler, Noll and Vo; RFC 9923), over the text's UTF-8 bytes. */
export function fnv1a128(text: string): string {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * 0x1000000000000000000013bn);
  }
  return hash.toString(16).padStart(32, '0');
}
