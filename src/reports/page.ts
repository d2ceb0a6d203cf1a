import { Html, html } from './html.js';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';

/**
 * Renders the beginning of a page, up to its main part. Its content security policy forbids the network and all scripts
 * and styles but the page's own, so that hostile text has no effect even if it is not escaped.
 */
export async function pageStart(title: string): Promise<string> {
  const policy = [
    "default-src 'none'",
    `style-src '${await sourceHash(PAGE_STYLE)}'`,
    `script-src '${await sourceHash(PAGE_SCRIPT)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(PAGE_STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
`.text;
}

/** Renders the page's title, a link to each section, and the beginning of the main part. */
export function pageHeader(header: {
  kind: string;
  name: string;
  experiment: string;
  /** Titles by anchor. */
  sections: Record<string, string>;
}): Html {
  const { kind, name, experiment, sections } = header;
  const links = Object.entries(sections).map(([anchor, title]) => html`<a href="#${anchor}">${title}</a> `);
  return html`<header>
<p class="kind">${kind}</p>
<h1>${name}</h1>
<p class="folder"><code>${experiment}</code></p>
<nav aria-label="Sections">${links}</nav>
</header>
<main id="main">
`;
}

export function section(anchor: string, title: string, content: Html): Html {
  return html`<section id="${anchor}" aria-labelledby="${anchor}-title">
<h2 id="${anchor}-title">${title}</h2>
${content}</section>
`;
}

export function pageEnd(): string {
  return html`</main>
<script>${new Html(PAGE_SCRIPT)}</script>
</body>
</html>
`.text;
}

/** Computes the source of an inline script or style for a content policy (CSP Level 3, section 2.3.1). */
async function sourceHash(source: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(source));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
