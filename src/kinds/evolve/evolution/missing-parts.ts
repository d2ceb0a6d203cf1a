import { groupBy } from '../../../statistics/group-by.js';
import { isReservedFile } from './file-names.js';
import { codeOf } from './python-source.js';
import { MAIN_FILE } from './types.js';

/** Unnamed block of Python, which is part of a scaffold if a file of it needs it. */
export interface SparePart {
  /** The line before the block and its first one. */
  label: string;
  content: string;
}

/** Function, class or variable that is defined at the top level. */
const DEFINITION =
  /^(?:(?:async[ \t]+)?(?:def|class)[ \t]+([A-Za-z_]\w*)|([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?=(?!=))/gm;
const CONSTANT = /^[A-Z][A-Z0-9_]{2,}$/;
const IMPORTS =
  /^[ \t]*(?:from[ \t]+([A-Za-z_]\w*)[ \t]+import\b[ \t]*(?:\(([^()]*)|([^\n;]*))|import[ \t]+([^\n;]*))/gm;

interface Import {
  module: string;
  /** The name that is taken from it; null: the module itself. */
  name: string | null;
  /** What the program calls it. */
  as: string;
}

function importsOf(code: string): Import[] {
  return [...code.matchAll(IMPORTS)].flatMap(([, from, inBrackets, inLine, modules]) =>
    (inBrackets ?? inLine ?? modules ?? '').split(',').flatMap((one): Import[] => {
      const [name] = /[A-Za-z_]\w*/.exec(one) ?? [];
      if (name === undefined) return [];
      const as = /\bas\s+(\w+)/.exec(one)?.[1] ?? name;
      return [from === undefined ? { module: name, name: null, as } : { module: from, name, as }];
    }),
  );
}

/**
 * Adds the modules that the main file and its modules import and no block names, where the label of one spare part does.
 * @param text the whole reply
 * @returns a sentence about a module of the scaffold that is missing; null if none is
 */
export function addModules(
  files: Map<string, string>,
  spare: readonly SparePart[],
  text: string,
): string | null {
  const imported = new Set([MAIN_FILE]);
  // Those that are added meanwhile are visited as well.
  for (const path of imported) {
    const code = codeOf(files.get(path) ?? '');
    for (const [module, imports] of groupBy(importsOf(code), (one) => one.module)) {
      if (isElsewhere(files, module)) continue;
      const file = `${module}.py`;
      const label = mentionOf(spoken(module));
      const parts = spare.filter((one) => label.test(one.label) && isModule(one.content, imports, code));
      const [part, ...others] = files.has(file) ? [] : parts;
      if (part !== undefined && others.length === 0) files.set(file, part.content);
      if (files.has(file)) imported.add(file);
      else if (mentionOf(`${module}\\.py`).test(text)) {
        return `${path} imports ${module}, and no block names ${file}.`;
      }
    }
  }
  return null;
}

/** Reports whether a module is a folder of the scaffold, or provided. */
function isElsewhere(files: ReadonlyMap<string, string>, module: string): boolean {
  return isReservedFile(`${module}.py`) || [...files.keys()].some((path) => path.startsWith(`${module}/`));
}

/** Reports whether a part is a module that defines what a program takes from it. */
function isModule(content: string, imports: readonly Import[], program: string): boolean {
  const code = codeOf(content);
  const used = imports.flatMap(({ name, as }) =>
    name === null
      ? [...program.matchAll(new RegExp(`(?<![.\\w])${as}\\.(\\w+)`, 'g'))].map(([, one]) => one as string)
      : [name],
  );
  const defined = definitionsOf(code);
  const isOwn = importsOf(code).every(({ module }) => module !== imports[0]?.module);
  return isOwn && used.length > 0 && used.every((name) => defined.has(name));
}

/** Returns a pattern of what a sentence calls a module: `helper` and `helpers.py` of `helpers`. */
const spoken = (module: string) => `${module.replace(/s$/, '').replaceAll('_', '[_ -]')}s?(?:\\.py)?`;

const mentionOf = (name: string) => new RegExp(`(?<![\\w./-])${name}(?![\\w-])`, 'i');

/** Returns the names that a program defines or imports, its variables only where `isNamed` says so. */
function definitionsOf(code: string, isNamed = (_variable: string) => true): Set<string> {
  const defined = [...code.matchAll(DEFINITION)].flatMap(([, one, variable = '']) =>
    one === undefined && !isNamed(variable) ? [] : [one ?? variable],
  );
  return new Set([...defined, ...importsOf(code).map(({ as }) => as)]);
}

/** Returns the names that a program calls, or hands on, and constants that it reads, and that it defines nowhere. */
function unboundIn(code: string): Set<string> {
  const unbound = new Map<string, boolean>();
  for (const { 0: name, index } of code.matchAll(/(?<![.\w])[A-Za-z_]\w*/g)) {
    const before = code.slice(Math.max(0, index - 20), index);
    const after = code.slice(index + name.length, index + name.length + 20);
    const isDefined =
      /\b(?:def|class|import|as|for)\s+$/.test(before) || /^\s*(?::[^=\n]*)?=(?!=)/.test(after);
    const isUsed =
      CONSTANT.test(name) || /^\s*[.(]/.test(after) || /(?:\b(?:map|filter)\s*\(|\bkey\s*=)\s*$/.test(before);
    unbound.set(name, isUsed && !isDefined && unbound.get(name) !== false);
  }
  for (const { as } of importsOf(code)) unbound.delete(as);
  return new Set([...unbound].flatMap(([name, is]) => (is ? [name] : [])));
}

/**
 * Returns a main file with the spare parts before it that define what it uses and does not define, the last of several.
 * What mentions the entry point is a draft, or an example of its use.
 */
export function withHelpers(main: string, spare: readonly SparePart[], warnings: string[]): string {
  let source = main;
  let unbound = unboundIn(codeOf(source));
  for (const { content } of [...spare].reverse()) {
    const code = codeOf(content);
    if (/\bprocess_input\b/.test(code)) continue;
    const needed = [...definitionsOf(code, (name) => CONSTANT.test(name))].find((name) => unbound.has(name));
    if (needed === undefined) continue;
    source = `${content.trimEnd()}\n\n\n${source}`;
    unbound = unboundIn(codeOf(source));
    warnings.push(`a block without a name was put before ${MAIN_FILE}, which uses its ${needed}`);
  }
  return source;
}
