import type { ComponentChildren, VNode } from 'preact';
import { render } from './render.js';
import { PAGE_SCRIPT } from './script.js';
import { PAGE_STYLE } from './style.js';

/** Section of a page. */
export interface Section {
  /** Anchor of links to it. */
  id: string;
  /** Title in the list of sections, and as a heading where `heading` is absent. */
  title: string;
  heading?: string;
  /** Content; one that is too long to be in memory at once comes in pieces. */
  content: VNode | AsyncIterable<VNode>;
}

/** Kind, name and folder at the top of a page. */
export interface Title {
  kind: string;
  name: string;
  experiment: string;
}

export function Heading({ kind, name, experiment, children }: Title & { children?: ComponentChildren }) {
  return (
    <header>
      <p class="kind">{kind}</p>
      <h1>{name}</h1>
      {experiment !== name && (
        <p class="folder">
          <code>{experiment}</code>
        </p>
      )}
      {children}
    </header>
  );
}

export function SectionLinks({ sections }: { sections: readonly Pick<Section, 'id' | 'title'>[] }) {
  return (
    <nav aria-label="Sections">
      {sections.map(({ id, title }) => (
        <a href={`#${id}`}>{title}</a>
      ))}
    </nav>
  );
}

/** Renders a section, piece by piece. */
export async function* sectionHtml({ id, title, heading = title, content }: Section): AsyncGenerator<string> {
  const start = `<section id="${id}" aria-labelledby="${id}-title">`;
  yield `${start}\n${render(<h2 id={`${id}-title`}>{heading}</h2>)}\n`;
  if (Symbol.asyncIterator in content) for await (const piece of content) yield `${render(piece)}\n`;
  else yield render(content);
  yield '\n</section>\n';
}

/**
 * Writes a page that stands alone, piece by piece: it loads nothing and needs no script. Its content security policy
 * forbids the network and all scripts and styles but the page's own, so that hostile text has no effect even if it is
 * not escaped.
 * @param top what stands above the sections
 */
export async function* pageHtml(
  { title, top, notices }: { title: string; top: Title; notices: VNode },
  sections: readonly Section[],
): AsyncGenerator<string> {
  const policy = [
    "default-src 'none'",
    `style-src '${await sourceHash(PAGE_STYLE)}'`,
    `script-src '${await sourceHash(PAGE_SCRIPT)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
${render(<title>{title}</title>)}
<style>${PAGE_STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
`;
  yield render(
    <Heading {...top}>
      <SectionLinks sections={sections} />
    </Heading>,
  );
  yield '\n<main id="main">\n';
  yield render(notices);
  for (const section of sections) yield* sectionHtml(section);
  yield `</main>\n<script>${PAGE_SCRIPT}</script>\n</body>\n</html>\n`;
}

/** Computes the source of an inline script or style for a content policy (CSP Level 3, section 2.3.1). */
async function sourceHash(source: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(source));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
