import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Texts by path: users' files and the user's files that they import, at one moment. */
type CodeTexts = ReadonlyMap<string, string>;

/** Texts to load, whatever their files contain now. */
export interface UserCode {
  /** Id that is equal for the same texts with the same paths. */
  id: string;
  texts: CodeTexts;
}

const IMPORTED = /(?:from|import)\s*(?:\(\s*)?['"](\.[^'"]+)['"]/g;

/** Reads a user's file and all of the user's files that it imports, in the order of appearance. */
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

/** Reads files with their current content. Unreadable ones are left out: loading them fails. */
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
