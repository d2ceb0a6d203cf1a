import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Texts by path: users' files, and what they import of the user's own, as they were at one moment. */
type CodeTexts = ReadonlyMap<string, string>;

/** Texts that are loaded whatever their files say now. */
export interface UserCode {
  /** The same for the same texts in the same places. */
  id: string;
  texts: CodeTexts;
}

const IMPORTED = /(?:from|import)\s*(?:\(\s*)?['"](\.[^'"]+)['"]/g;

/** Reads a user's file and every one of theirs that it imports, in the order of appearance. */
export function withImports(file: string): Map<string, string> {
  const texts = new Map<string, string>();
  const visit = (path: string): void => {
    if (texts.has(path)) return;
    const text = readFileSync(path, 'utf8');
    texts.set(path, text);
    for (const [, specifier = ''] of text.matchAll(IMPORTED)) {
      const named = resolve(dirname(path), specifier);
      const candidates = [
        named.replace(/\.js$/, '.ts'),
        named,
        `${named}.ts`,
        `${named}.js`,
        join(named, 'index.ts'),
      ];
      const found = candidates.find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile());
      if (found !== undefined) visit(found);
    }
  };
  visit(file);
  return texts;
}

export function codeOf(texts: CodeTexts): UserCode {
  const id = createHash('sha256')
    .update(JSON.stringify([...texts].sort()))
    .digest('hex');
  return { id, texts };
}

/** Reads files as they are now. What cannot be read is left out: whoever loads it says so. */
export function codeNow(files: readonly string[]): UserCode {
  const read = (file: string) => {
    try {
      return [...withImports(file)];
    } catch {
      return [];
    }
  };
  return codeOf(new Map(files.flatMap(read)));
}
