import { existsSync, readFileSync } from 'node:fs';
import type { Jiti, JitiOptions } from 'jiti';

/** By path: a user's file, and what it imports of theirs, as they were when they were read. */
export type CodeTexts = ReadonlyMap<string, string>;

/** Whether each file says what it did. */
export function sayTheSame(texts: CodeTexts): boolean {
  return [...texts].every(([file, text]) => existsSync(file) && readFileSync(file, 'utf8') === text);
}

/**
 * Loads a file as its text was, and keeps neither its module nor its compiled form for anybody else. Modules of Node's own
 * kinds, which nothing compiles, are loaded as they are.
 * @param loader makes what loads and compiles such files
 */
export async function importAsItWas(
  path: string,
  texts: CodeTexts,
  loader: (options?: JitiOptions) => Jiti,
): Promise<Record<string, unknown>> {
  const compiler = loader();
  const jiti = loader({
    // Its key is what is on the disk.
    fsCache: false,
    transform: (asked) => ({
      code: compiler.transform({ ...asked, source: texts.get(asked.filename ?? '') ?? asked.source }),
    }),
  });
  const forget = () => {
    for (const file of texts.keys()) delete jiti.cache[file];
  };
  forget();
  try {
    return (await jiti.import(path)) as Record<string, unknown>;
  } finally {
    forget();
  }
}
