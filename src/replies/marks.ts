/** Marks of thoughts in models' texts. Extend this table for new marks. */

/** Names of tags: `<think>`, `</think>`, also with a vendor's prefix or suffix (`<mm:think>`, `<think:opensource>`). */
const TAG_NAMES = 'think|thinking|thoughts?|reasoning|scratchpad';

/**
 * Patterns of opening and closing marks. A closing mark also ends thoughts that another mark has opened, if that one's
 * own closing mark is missing. It also counts without an opening mark, which some servers remove, unless it `isPaired`:
 * ordinary words alone are no mark.
 */
export const MARKS: readonly { name: string; open: string; close: string; isPaired?: true }[] = [
  {
    // DeepSeek, Qwen, GLM, Nemotron and most others; MiniMax `mm:`, Seed-OSS `seed:`; `<thinking>` if a prompt requests
    // it.
    name: 'tag',
    open: String.raw`<(?:[a-z]{1,12}:)?(?:${TAG_NAMES})(?::[a-z]{1,12})?(?:\s[^<>\n]{0,80})?>`,
    close: String.raw`</(?:[a-z]{1,12}:)?(?:${TAG_NAMES})(?::[a-z]{1,12})?\s?>`,
  },
  // Magistral and Ministral.
  { name: 'bracket', open: String.raw`\[think(?:ing)?\]`, close: String.raw`\[/think(?:ing)?\]` },
  // Kimi-VL and Kimi-Dev.
  { name: 'triangle', open: '◁think▷', close: '◁/think▷' },
  // Cohere's Command, Sky-T1, OpenThinker.
  {
    name: 'token',
    open: '<[|｜](?:(?:start|begin)[_▁](?:of[_▁])?)?(?:think(?:ing)?|thought)[|｜]>',
    close: '<[|｜](?:/|end[_▁](?:of[_▁])?)(?:think(?:ing)?|thought)[|｜]>',
  },
  // Gemma 4.
  { name: 'gemma', open: String.raw`<\|channel>thought\b`, close: String.raw`<channel\|>` },
  // Granite 3.2.
  {
    name: 'granite',
    open: "Here(?:'s| is) my thought process:",
    close: "Here(?:'s| is) my response:",
    isPaired: true,
  },
];

/** Tokens around the said text that are no part of it. */
export const WRAPPERS = /<\|(?:START|END)_(?:RESPONSE|TEXT)\|>/g;
