import { elementText, type Html, html } from '../../../reports/html.js';
import { changedParts, type LineParts } from './changed-parts.js';
import type { Chunk, FileChange } from './code-diff.js';

/** Unchanged lines that are shown before and after a change; those between are folded if they are enough. */
const CONTEXT = 3;
const SHORTEST_FOLD = 8;
/** Lines shown of a passage that exceeds the budget of the page. */
const LINES_OVER_BUDGET = 40;
const MAX_MARKED_LINES = 30;

/** Budget of characters of code on the page; beyond it, passages are cut. */
export class CodeBudget {
  constructor(private left: number) {}

  /** Reports whether a passage fits, and counts it if it does. `must` takes it in any case. */
  takes(lines: readonly string[], must: boolean): boolean {
    const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
    if (!must && length > this.left) return false;
    this.left -= length;
    return true;
  }
}

const SIGNS: Record<Chunk['kind'], string> = { same: ' ', added: '+', removed: '−' };

export interface CodeViewOptions {
  budget: CodeBudget;
  /** True if all is shown, whatever the budget. */
  isWhole: boolean;
  /** Returns the address of a file beside the page; null where there is none. */
  address(path: string): string | null;
}

/** Shows every file of a scaffold with its changes. */
export function codeView(changes: readonly FileChange[], options: CodeViewOptions): Html {
  return html`${changes.map((change) => fileView(change, options))}`;
}

function fileView(change: FileChange, options: CodeViewOptions): Html {
  const { path, chunks, kind } = change;
  const address = kind === 'removed' ? null : options.address(path);
  const isEmpty = chunks.every(({ lines }) => lines.length === 0);
  return html`<section class="file">
<h4><code>${path}</code> <small>${summaryOf(change)}${address !== null && html` · <a href="${address}">the file</a>`}</small></h4>
${isEmpty ? html`<p>The file is empty.</p>` : html`<div class="code" role="group" aria-label="${path}" tabindex="0"><div>${chunks.map((one, index) => chunkView(one, { ...options, change, isFirst: index === 0, isLast: index === chunks.length - 1, marked: marked(chunks, index) }))}</div></div>`}
</section>
`;
}

function summaryOf({ kind, added, removed, chunks }: FileChange): Html {
  const lines = chunks.reduce((sum, one) => sum + one.lines.length, 0);
  if (kind === 'only') return html`${lines} lines`;
  if (kind === 'new') return html`new, ${lines} lines`;
  if (kind === 'removed') return html`not taken over from the parent, ${lines} lines`;
  if (kind === 'unchanged') return html`unchanged, ${lines} lines`;
  if (kind === 'rewritten')
    return html`rewritten, ${lines} lines: hardly a line is the parent's, which is not shown`;
  return html`<span class="plus">+${added}</span> <span class="minus">−${removed}</span> lines`;
}

interface Place extends CodeViewOptions {
  change: FileChange;
  isFirst: boolean;
  isLast: boolean;
  /** Lines with the changes in them marked; undefined where they are shown plain. */
  marked: Html | undefined;
}

/** Marks changes within lines, where a passage replaced one with the same number of lines, line by line. */
function marked(chunks: readonly Chunk[], index: number): Html | undefined {
  const isAdded = chunks[index]?.kind === 'added';
  const [before, after] = isAdded ? [chunks[index - 1], chunks[index]] : [chunks[index], chunks[index + 1]];
  if (before?.kind !== 'removed' || after?.kind !== 'added') return undefined;
  if (before.lines.length !== after.lines.length || after.lines.length > MAX_MARKED_LINES) return undefined;
  const lines = before.lines.map((line, place): Html => {
    const parts = changedParts(line, after.lines[place] as string);
    const own = isAdded ? (after.lines[place] as string) : line;
    return parts === null ? elementText(own) : markedLine(isAdded ? parts.after : parts.before);
  });
  return html`${lines.map((line, place) => [place > 0 && '\n', line])}`;
}

const markedLine = (parts: LineParts): Html =>
  html`${parts.map(({ text, isChanged }) => (isChanged ? html`<b>${elementText(text)}</b>` : elementText(text)))}`;

function chunkView({ kind, lines, start }: Chunk, place: Place): Html {
  const isComparison = place.change.kind === 'changed' || place.change.kind === 'unchanged';
  if (kind !== 'same' || !isComparison) return passage({ kind, lines, start }, place);
  const [before, after] = [place.isFirst ? 0 : CONTEXT, place.isLast ? 0 : CONTEXT];
  const folded = lines.length - before - after;
  if (folded < SHORTEST_FOLD) return passage({ kind, lines, start }, place);
  const inner = lines.slice(before, lines.length - after);
  const range = `${folded} unchanged lines, ${start + before} to ${start + before + folded - 1}`;
  const fold = place.budget.takes(inner, place.isWhole)
    ? html`<details class="fold"><summary>${range}</summary>${block('same', inner, start + before)}</details>`
    : html`<p class="fold">${range}: left out, for the page would be too long.</p>`;
  return html`${before > 0 && block('same', lines.slice(0, before), start)}${fold}${after > 0 && block('same', lines.slice(-after), start + before + folded)}`;
}

/** Shows lines without folding; they are cut where the page is full. */
function passage({ kind, lines, start }: Chunk, place: Place): Html {
  if (place.budget.takes(lines, place.isWhole)) return block(kind, lines, start, place.marked);
  const shown = lines.slice(0, LINES_OVER_BUDGET).map((line) => line.slice(0, 200));
  return html`${block(kind, shown, start)}<p class="fold">Cut here, for the page would be too long: ${lines.length} lines in all.</p>`;
}

/** Shows all lines in one element, and their numbers in another: one per line would make a page of thousands. */
function block(
  kind: Chunk['kind'],
  lines: readonly string[],
  start: number,
  content = elementText(lines.join('\n')),
): Html {
  const sign = SIGNS[kind];
  const numbers = lines
    .map((_, index) => (kind === 'removed' ? sign : `${start + index} ${sign}`))
    .join('\n');
  // A parser drops a line break right after the tag, which must not be one of the code.
  const text = html`<pre>\n${content}\n</pre>`;
  const marked =
    kind === 'added' ? html`<ins>${text}</ins>` : kind === 'removed' ? html`<del>${text}</del>` : text;
  return html`<div class="${kind}"><pre aria-hidden="true">${numbers}</pre>${marked}</div>`;
}
