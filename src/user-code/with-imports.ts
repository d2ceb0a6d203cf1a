import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const IMPORTED = /(?:from|import)\s*(?:\(\s*)?['"](\.[^'"]+)['"]/g;

/** A user's file and every one of theirs that it imports, with their texts, by their order of appearance. */
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
