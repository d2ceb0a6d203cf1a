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
