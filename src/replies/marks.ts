/** How models mark what they think. Extend this table where a new one comes up. */

/** Names of tags: `<think>`, `</think>`, also with a vendor before or behind (`<mm:think>`, `<think:opensource>`). */
const TAG_NAMES = 'think|thinking|thoughts?|reasoning|scratchpad';

/**
 * Opening and closing marks, as patterns. A closing one ends what any of them has opened where its own never comes, and
 * stands for an opening one that the server has eaten, but where it `isPaired`: ordinary words are no mark alone.
 */
export const MARKS: readonly { name: string; open: string; close: string; isPaired?: true }[] = [
  {
    // DeepSeek, Qwen, GLM, Nemotron and most others; MiniMax `mm:`, Seed-OSS `seed:`; `<thinking>` where prompts ask so.
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

/** Tokens that stand around what is said, and are no part of it. */
export const WRAPPERS = /<\|(?:START|END)_(?:RESPONSE|TEXT)\|>/g;
