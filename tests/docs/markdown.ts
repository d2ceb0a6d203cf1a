import { readdirSync, readFileSync } from 'node:fs';

/** The documents that people read, by their paths in the repository. */
export function documents(): string[] {
  const inDocs = readdirSync('docs', { recursive: true, encoding: 'utf8' });
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...inDocs.map((name) => `docs/${name}`)].filter(
    (path) => path.endsWith('.md'),
  );
}

export interface Fence {
  document: string;
  /** From 1. */
  line: number;
  language: string;
  content: string;
  /** The line before it, such as `<!-- file: capitals.yaml -->`. */
  before: string;
}

/** Every fenced block of a document. */
export function fencesOf(document: string): Fence[] {
  const lines = readFileSync(document, 'utf8').split('\n');
  const fences: Fence[] = [];
  let open: { line: number; language: string; from: number } | null = null;
  for (const [index, line] of lines.entries()) {
    const fence = /^\s*```(.*)$/.exec(line);
    if (fence === null) continue;
    if (open === null) open = { line: index + 1, language: (fence[1] ?? '').trim(), from: index };
    else {
      const content = lines.slice(open.from + 1, index).join('\n');
      const { line: at, language, from } = open;
      fences.push({ document, line: at, language, content, before: lines[from - 1] ?? '' });
      open = null;
    }
  }
  if (open !== null) throw new Error(`${document}:${open.line}: the fence is not closed`);
  return fences;
}

/** A line that a reader is told to type. */
export interface DocumentedCommand {
  command: string;
  at: string;
}

/** Every line of every `sh` block. */
export function documentedCommands(): DocumentedCommand[] {
  return documents()
    .flatMap(fencesOf)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ document, line, content }) =>
      content
        .split('\n')
        .map((text, index) => ({ command: text.trim(), at: `${document}:${line + 1 + index}` })),
    )
    .filter(({ command }) => command !== '' && !command.startsWith('#'));
}
