import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyse } from 'scslre';
import ts from 'typescript';

/** A regular expression as it is written in a source file. */
export interface WrittenExpression {
  /** `path:line`. */
  place: string;
  source: string;
  flags: string;
}

/** The TypeScript files of a folder. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(folder, name));
}

/** Every regular expression that a TypeScript file writes as a literal. */
export function writtenExpressions(path: string): WrittenExpression[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: WrittenExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      const end = node.text.lastIndexOf('/');
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      found.push({ place: `${path}:${line + 1}`, source, flags });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The characters of which many make an expression take more than linear time. */
export function slowOn({ source, flags }: Pick<RegExp, 'source' | 'flags'>): string[] {
  return analyse({ source, flags }).reports.map(({ character }) => character.pick);
}
