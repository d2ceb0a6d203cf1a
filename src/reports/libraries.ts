/**
 * Libraries that pages are drawn with. The build bundles them into this one file (`scripts/vendor.mjs`), so that they
 * are no dependencies of the package: 0.8 MB in the place of 17.
 */
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';

export { barX, dot, lineY, link, plot, ruleX, ruleY, text } from '@observablehq/plot';
export { parseHTML } from 'linkedom';

/** Highlighters by language; their result is a tree of classes and texts. */
export const highlighter = createLowlight({ json, python, sql, typescript, yaml });
