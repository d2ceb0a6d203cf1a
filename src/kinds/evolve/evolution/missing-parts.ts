import { groupBy } from '../../../statistics/group-by.js';
import type { FencedBlock } from './fenced-blocks.js';
import { isReservedFile } from './file-names.js';
import { codeOf } from './python-source.js';
import { MAIN_FILE } from './types.js';

/** Function, class or variable that is defined at the top level. */
const DEFINITION =
  /^(?:(?:async[ \t]+)?(?:def|class)[ \t]+([A-Za-z_]\w*)|([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?=(?!=))/gm;
const IMPORTS =
  /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b[ \t]*(?:\(([^()]*)|([^\n;]*))|import[ \t]+([^\n;]*))/gm;
const FUTURE_IMPORTS = /^from[ \t]+__future__[ \t]+import\b[^\n]*\n/gm;
const FILE = /(?<![\w./-])\w{1,90}\.py(?![\w-])/g;
/** Name that every program has, also where an example defines its own. */
const BUILTIN =
  /^(?:abs|dict|eval|exec|filter|format|hash|id|input|int|iter|len|list|map|max|min|next|open|pow|print|range|round|set|sorted|str|sum|type)$/;

/** Returns what a program imports: a module, or a name of it, perhaps `*`; and what the program calls it. */
function importsOf(code: string): { module: string; name: string | null; as: string }[] {
  return [...code.matchAll(IMPORTS)].flatMap(([, from, inBrackets, inLine, modules]) =>
    (inBrackets ?? inLine ?? modules ?? '').split(',').flatMap((one) => {
      const [name] = /[A-Za-z_]\w*|\*/.exec(one) ?? [];
      if (name === undefined) return [];
      const as = /\bas\s+(\w+)/.exec(one)?.[1] ?? name;
      return [from === undefined ? { module: name, name: null, as } : { module: from, name, as }];
    }),
  );
}

/** Adds modules that the main file and its modules import, where the lines at one block's fence have the file's name. */
export function addModules(files: Map<string, string>, spare: readonly FencedBlock[]): void {
  const labelled = spare.flatMap(({ lineBefore, attributes, content }) => {
    const label = [lineBefore, attributes, content.trimStart().split('\n', 1)[0]].join('\n');
    return [...new Set(label.match(FILE))].map((file) => ({ file, content }));
  });
  const byFile = groupBy(labelled, ({ file }) => file);
  const imported = new Set([MAIN_FILE]);
  // Those that are added meanwhile are visited as well.
  for (const path of imported) {
    for (const [module, imports] of groupBy(importsOf(codeOf(files.get(path) ?? '')), (one) => one.module)) {
      const file = `${module}.py`;
      const isNew = !files.has(file) && !isReservedFile(file);
      const [part, ...others] = (byFile.get(file) ?? []).filter(({ content }) => isModule(content, imports));
      if (isNew && part !== undefined && others.length === 0) files.set(file, part.content);
      if (files.has(file)) imported.add(file);
    }
  }
}

/** Reports whether a block defines what a program takes from a module, and is no example of the module's use. */
function isModule(content: string, imports: ReturnType<typeof importsOf>): boolean {
  const code = codeOf(content);
  const { defined } = namesIn(code);
  return (
    importsOf(code).every(({ module }) => module !== imports[0]?.module) &&
    imports.every(({ name }) => name === null || name === '*' || defined.includes(name))
  );
}

/** Returns the names that a program defines or imports at its top level, that it uses, and that it may define. */
function namesIn(code: string): { defined: string[]; used: Set<string>; bound: Set<string> } {
  const definitions = [...code.matchAll(DEFINITION)].map((found) => (found[1] ?? found[2]) as string);
  const defined = [...definitions, ...importsOf(code).map(({ as }) => as)];
  const used = new Set<string>();
  const bound = new Set(defined);
  for (const { 0: name, index } of code.matchAll(/(?<![.\w])[A-Za-z_]\w*/g)) {
    const before = code.slice(Math.max(0, index - 20), index);
    const after = code.slice(index + name.length, index + name.length + 20);
    const isDefined =
      BUILTIN.test(name) ||
      /\b(?:def|class|import|as|for)\s+$/.test(before) ||
      /^\s*(?:,[A-Z\d_, ]*|:[^=\n]*)?=(?!=)/.test(after);
    const isUsed =
      /^[A-Z]/.test(name) ||
      /^\s*[.([]/.test(after) ||
      /(?:\b(?:map|filter|reduce|submit)\s*\(|\bkey\s*=|@)\s*$/.test(before);
    (isUsed && !isDefined ? used : bound).add(name);
  }
  return { defined, used, bound };
}

/**
 * Returns a main file with the spare parts before it that define what it uses and does not define, the last of several.
 * What mentions the entry point is a draft, or an example of its use.
 */
export function withHelpers(main: string, spare: readonly FencedBlock[], warnings: string[]): string {
  const code = codeOf(main);
  // What `*` defines is not known.
  if (importsOf(code).some(({ name }) => name === '*')) return main;
  const parts = spare.flatMap(({ content }) => {
    const code = codeOf(content);
    return /\bprocess_input\b/.test(code) ? [] : [{ content, ...namesIn(code) }];
  });
  const { used, bound } = namesIn(code);
  const isMissing = (name: string) => used.has(name) && !bound.has(name);
  const joined = [main];
  for (;;) {
    const part = parts.findLast(({ defined }) => defined.some(isMissing));
    if (part === undefined) break;
    const needed = part.defined.find(isMissing);
    warnings.push(`a block without a name was put before ${MAIN_FILE}, which uses its ${needed}`);
    joined.unshift(part.content.trimEnd());
    for (const name of part.bound) bound.add(name);
    for (const name of part.used) used.add(name);
  }
  if (joined.length === 1) return main;
  const source = joined.join('\n\n\n');
  return [...(source.match(FUTURE_IMPORTS) ?? []), source.replace(FUTURE_IMPORTS, '')].join('');
}
