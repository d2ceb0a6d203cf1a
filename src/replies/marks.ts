/** Marks of thoughts in models' texts. Extend this table for new marks. */

/** Names of tags: `<think>`, `</think>`, also with a vendor's prefix or suffix (`<mm:think>`, `<think:opensource>`). */
const TAG_NAMES = 'think|thinking|thoughts?|reasoning|scratchpad|longcat_think';

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
  // MedGemma, and openPangu.
  { name: 'unused', open: '<unused94>(?:thought\\b)?', close: '<unused95>' },
  { name: 'pangu', open: String.raw`\[unused16\]`, close: String.raw`\[unused17\]` },
  // Granite 3.2.
  {
    name: 'granite',
    open: "Here(?:'s| is) my thought process:",
    close: "Here(?:'s| is) my response:",
    isPaired: true,
  },
];

/** Tokens around the said text that are no part of it. */
export const WRAPPERS = /<\|(?:(?:START|END)_(?:RESPONSE|TEXT)|(?:begin|end)_of_solution)\|>/g;

/** Token that ends a model's turn, which some servers leave at the end of its text. */
export const END_OF_TURN =
  /(?:<\|(?:im_end|eot_id|eom_id|eot|end_?of_?text|end_?of_?turn|END_OF_TURN_TOKEN|end|return)\|>|<(?:end_of_turn|eos)>|<\/s>|<[|｜]end[_▁]of[_▁]sentence[|｜]>)$/;
