import type { ComponentChildren, VNode } from 'preact';
import { type Chunk, changedParts, type FileChange } from './diff.js';
import { highlighter } from './libraries.js';
import { Scroll } from './table.js';

/** Unchanged lines that are shown before and after a change; those between are folded if they are enough. */
const CONTEXT = 3;
const SHORTEST_FOLD = 8;
/** Lines shown of a passage that exceeds the budget of the page. */
const LINES_OVER_BUDGET = 40;
const MAX_MARKED_LINES = 30;
/** Maximum characters of a passage that is highlighted: half a second of work. */
const MAX_HIGHLIGHTED = 200_000;

type Language = 'json' | 'python' | 'sql' | 'typescript' | 'yaml';

const LANGUAGES: Readonly<Record<string, Language>> = {
  json: 'json',
  py: 'python',
  sql: 'sql',
  ts: 'typescript',
  js: 'typescript',
  yaml: 'yaml',
};

const languageOf = (path: string) => LANGUAGES[path.slice(path.lastIndexOf('.') + 1)];

interface Token {
  type: string;
  value?: string;
  children?: Token[];
  properties?: { className?: unknown };
}

function tokens(nodes: readonly Token[]): ComponentChildren {
  return nodes.map(({ type, value = '', children = [], properties }) =>
    type === 'text' ? value : <span class={String(properties?.className ?? '')}>{tokens(children)}</span>,
  );
}

/** Marks the words of a language by classes of the page's style. */
function highlighted(text: string, language: Language | undefined): ComponentChildren {
  if (language === undefined || text.length > MAX_HIGHLIGHTED) return text;
  return tokens(highlighter.highlight(language, text).children as Token[]);
}

/** Text as it is written, in a frame that scrolls; a language's words are marked. */
export function Code({ text, label, language }: { text: string; label: string; language?: Language }) {
  return (
    <Scroll label={label} kind="code">
      <pre>
        {
          // A parser drops a line break right after the tag, which must not be one of the text.
          '\n'
        }
        {highlighted(text, language)}
      </pre>
    </Scroll>
  );
}

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

export interface ChangesOptions {
  budget: CodeBudget;
  /** True if all is shown, whatever the budget. */
  isWhole: boolean;
  /** True if the words of a file's language are marked. */
  isHighlighted: boolean;
  /** Level of the heading of a file. */
  heading: 'h3' | 'h4';
  /** Returns the address of a file; null where there is none. */
  address(path: string): string | null;
}

/** Options of a page that shows the changes of a few texts. */
export const FEW_CHANGES: ChangesOptions = {
  budget: new CodeBudget(Number.POSITIVE_INFINITY),
  isWhole: true,
  isHighlighted: true,
  heading: 'h3',
  address: () => null,
};

/** Every file with its changes: lines marked + are new, lines marked − are gone, and what did not change is folded. */
export const Changes = ({
  changes,
  options,
}: {
  changes: readonly FileChange[];
  options: ChangesOptions;
}) => (
  <>
    {changes.map((change) => (
      <FileView key={change.path} change={change} options={options} />
    ))}
  </>
);

function FileView({ change, options }: { change: FileChange; options: ChangesOptions }) {
  const { path, chunks, kind } = change;
  const address = kind === 'removed' ? null : options.address(path);
  const Head = options.heading;
  const isEmpty = chunks.every(({ lines }) => lines.length === 0);
  return (
    <section class="file">
      <Head>
        <code>{path}</code>{' '}
        <small>
          {summaryOf(change)}
          {address !== null && (
            <>
              {' · '}
              <a href={address}>the file</a>
            </>
          )}
        </small>
      </Head>
      {isEmpty ? (
        <p>The file is empty.</p>
      ) : (
        <Scroll label={path} kind="code">
          <div>
            {chunks.map((one, index) => (
              <Passage
                key={index}
                chunk={one}
                place={{
                  ...options,
                  change,
                  isFirst: index === 0,
                  isLast: index === chunks.length - 1,
                  marked: marked(chunks, index),
                }}
              />
            ))}
          </div>
        </Scroll>
      )}
    </section>
  );
}

function summaryOf({ kind, added, removed, chunks }: FileChange): ComponentChildren {
  const lines = chunks.reduce((sum, one) => sum + one.lines.length, 0);
  if (kind === 'only') return `${lines} lines`;
  if (kind === 'new') return `new, ${lines} lines`;
  if (kind === 'removed') return `not taken over, ${lines} lines`;
  if (kind === 'unchanged') return `unchanged, ${lines} lines`;
  if (kind === 'rewritten')
    return `rewritten, ${lines} lines: hardly a line is as it was, which is not shown`;
  return (
    <>
      <PlusMinus added={added} removed={removed} /> lines
    </>
  );
}

export const PlusMinus = ({ added, removed }: { added: number; removed: number }) => (
  <>
    <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
  </>
);

interface Place extends ChangesOptions {
  change: FileChange;
  isFirst: boolean;
  isLast: boolean;
  /** Lines with the changes in them marked; undefined where they are shown plain. */
  marked: ComponentChildren;
}

/** Marks changes within lines, where a passage replaced one with the same number of lines, line by line. */
function marked(chunks: readonly Chunk[], index: number): ComponentChildren {
  const isAdded = chunks[index]?.kind === 'added';
  const [before, after] = isAdded ? [chunks[index - 1], chunks[index]] : [chunks[index], chunks[index + 1]];
  if (before?.kind !== 'removed' || after?.kind !== 'added') return undefined;
  if (before.lines.length !== after.lines.length || after.lines.length > MAX_MARKED_LINES) return undefined;
  return before.lines.map((line, place) => {
    const other = after.lines[place] as string;
    const parts = changedParts(line, other);
    const own = isAdded ? parts?.after : parts?.before;
    const shown = own?.map(({ text, isChanged }) => (isChanged ? <b>{text}</b> : text));
    return [place > 0 && '\n', shown ?? (isAdded ? other : line)];
  });
}

function Passage({ chunk, place }: { chunk: Chunk; place: Place }): VNode {
  const { kind, lines, start } = chunk;
  const { budget, isWhole, isFirst, isLast, change } = place;
  const block = (shown: Chunk, content?: ComponentChildren) => (
    <Block
      chunk={shown}
      language={place.isHighlighted ? languageOf(change.path) : undefined}
      content={content}
    />
  );
  const isComparison = change.kind === 'changed' || change.kind === 'unchanged';
  const [before, after] = [isFirst ? 0 : CONTEXT, isLast ? 0 : CONTEXT];
  const folded = lines.length - before - after;
  if (kind !== 'same' || !isComparison || folded < SHORTEST_FOLD) {
    if (budget.takes(lines, isWhole)) return block(chunk, place.marked);
    const shown = lines.slice(0, LINES_OVER_BUDGET).map((line) => line.slice(0, 200));
    return (
      <>
        {block({ kind, lines: shown, start })}
        <p class="fold">Cut here, for the page would be too long: {lines.length} lines in all.</p>
      </>
    );
  }
  const inner = lines.slice(before, lines.length - after);
  const range = `${folded} unchanged lines, ${start + before} to ${start + before + folded - 1}`;
  return (
    <>
      {before > 0 && block({ kind, lines: lines.slice(0, before), start })}
      {budget.takes(inner, isWhole) ? (
        <details class="fold">
          <summary>{range}</summary>
          {block({ kind, lines: inner, start: start + before })}
        </details>
      ) : (
        <p class="fold">{range}: left out, for the page would be too long.</p>
      )}
      {after > 0 && block({ kind, lines: lines.slice(-after), start: start + before + folded })}
    </>
  );
}

const SIGNS: Record<Chunk['kind'], string> = { same: ' ', added: '+', removed: '−' };

/** All lines in one element, and their numbers in another: one per line would make a page of thousands. */
function Block({
  chunk: { kind, lines, start },
  language,
  content = highlighted(lines.join('\n'), language),
}: {
  chunk: Chunk;
  language: Language | undefined;
  content?: ComponentChildren;
}) {
  const sign = SIGNS[kind];
  const numbers = lines.map((_, index) => (kind === 'removed' ? sign : `${start + index} ${sign}`));
  const text = (
    <pre>
      {'\n'}
      {content}
      {'\n'}
    </pre>
  );
  return (
    <div class={kind}>
      <pre aria-hidden="true">{numbers.join('\n')}</pre>
      {kind === 'added' ? <ins>{text}</ins> : kind === 'removed' ? <del>{text}</del> : text}
    </div>
  );
}
