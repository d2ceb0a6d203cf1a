import type { LineageNode } from '../../src/kinds/evolve/evolution/lineage.js';
import type { ScaffoldFiles } from '../../src/kinds/evolve/evolution/types.js';
import { evolutionPage, evolveMetrics, node } from './support.js';

const MARK = "document.documentElement.setAttribute('data-taken','yes')";

/** Texts that take over a page that does not escape them: each then marks the document, or ends or hides the page. */
export const HOSTILE = [
  `<script>${MARK}</script>`,
  `</script><script>${MARK}</script>`,
  `</style></title></textarea></pre></code></details><script>${MARK}</script>`,
  `<img src="x" onerror="${MARK}">`,
  `"><img src=x onerror="${MARK}">`,
  `'><img src=x onerror="${MARK}">`,
  `" autofocus tabindex="0" onfocus="${MARK}" x="`,
  `<svg onload="${MARK}"></svg>`,
  `]]><svg><script>${MARK}</script></svg>`,
  `--><script>${MARK}</script><!--`,
  `<details open ontoggle="${MARK}">`,
  `<iframe srcdoc="<script>parent.${MARK}</script>"></iframe>`,
  `javascript:${MARK}`,
  '&lt;b&gt; &amp;amp; &#60;b&#62; \\u003cb\\u003e',
  '<!-- <style>* { display: none }</style><base href="https://example.com/"><plaintext>',
  '\u0000\u202e\u2066 \u2028 \ud800 \u{e0041} \ufeff',
];

/** Every text that a model or a dataset has a hand in, hostile in its place. */
export function hostilePage(): Promise<string> {
  const nodes = HOSTILE.flatMap((text, index): LineageNode[] => {
    const evolved = {
      parent_scaffold_id: text,
      duplicate_of: text,
      error: text,
      train: [{ iteration: 1, example_id: text, score: 0 }],
    };
    return [
      node(text, { parent_scaffold_id: null, iteration: 0 }),
      node(`${index}-0`, { ...evolved, status: 'failed' }),
      node(`${index}-1`, { ...evolved, status: 'duplicate' }),
      node(`${index}-2`, { ...evolved, status: 'validated' }),
    ];
  });
  const every = HOSTILE.join('\n');
  const files: Record<string, ScaffoldFiles> = {};
  for (const [index, text] of HOSTILE.entries()) {
    files[text] = { 'scaffold.py': `${every}\nx = 1\n`, [text]: text };
    files[`${index}-1`] = { 'scaffold.py': `${every}\nx = 2\n`, [text]: `${text} changed` };
    files[`${index}-2`] = { 'scaffold.py': text, [`${text}.py`]: text };
  }
  const text = HOSTILE.join(' ');
  const metrics = evolveMetrics({
    name: text,
    experiment: text,
    status: 'failed',
    status_message: text,
    scaffolder_model: text,
    executor_model: text,
    domain: text,
    started_at: text,
    best: { id: HOSTILE[0] as string, iteration: 1, score: 0.5, path: text, test_score: null },
  });
  return evolutionPage(nodes, files, metrics);
}
