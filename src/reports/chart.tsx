import { type ComponentChildren, h, type VNode } from 'preact';
import { parseHTML, plot } from './libraries.js';

/** Options of a plot (https://observablehq.com/plot/features/plots). */
export type PlotOptions = Parameters<typeof plot>[0];

/** The part of an element that is read. */
interface Drawn {
  localName: string;
  attributes: Iterable<{ name: string; value: string }>;
  childNodes: Iterable<Drawn & { nodeType: number; textContent: string | null }>;
}

const ELEMENT = 1;
const TEXT = 3;
/** A link of a drawing leads to a place on the page or to a page beside it. */
const OWN_ADDRESS = /^[#?.]/;

/**
 * Draws a plot as a plain tree of SVG: it needs no script, and neither a style element nor style attributes, which a
 * page's policy forbids.
 * @param label what a screen reader says of it
 */
export function Chart({ label, options }: { label: string; options: PlotOptions }): VNode {
  const { document } = parseHTML('<html><body></body></html>');
  const drawn = plot({ ...options, document } as PlotOptions & { document: unknown }) as unknown as Drawn;
  return treeOf(drawn, { role: 'group', 'aria-label': label }) as VNode;
}

function treeOf(element: Drawn, further: Record<string, string> = {}): ComponentChildren {
  const attributes: Record<string, string> = {};
  for (const { name, value } of element.attributes) {
    if (name === 'style' || name === 'class' || /^(on|xmlns|aria-)/.test(name)) continue;
    if (name !== 'href' && name !== 'xlink:href') attributes[name] = value;
    else if (OWN_ADDRESS.test(value)) attributes.href = value;
  }
  const children = [...element.childNodes].flatMap((child) => {
    if (child.nodeType === TEXT) return [child.textContent];
    return child.nodeType === ELEMENT && child.localName !== 'style' ? [treeOf(child)] : [];
  });
  // A link of a drawing has a twin in a table, so the keyboard need not stop at it.
  const beside = element.localName === 'a' ? { tabindex: -1 } : {};
  return h(element.localName, { ...attributes, ...beside, ...further }, children);
}
