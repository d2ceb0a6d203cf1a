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
    open: String.raw`<(?:[a-z]{1,12}:)?(?:${TAG_NAMES})(?::[a-z]{1,12})?(?:\s[^<>\n]{0,79}[^<>\n/])?>`,
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

const END = String.raw`(?:<\|(?:im_end|eot_id|eom_id|eot|end_?of_?text|end_?of_?turn|END_OF_TURN_TOKEN|end|return)\|>|<(?:end_of_turn|eos)>|</s>|<[|｜]end[_▁]of[_▁]sentence[|｜]>)`;

/** Token that ends a model's turn, which some servers leave at the end of its text. */
export const END_OF_TURN = new RegExp(`${END}$`);

/** Heads of a turn or of a text: `<|im_start|>user`, `<|start_header_id|>assistant<|end_header_id|>`, `[INST]`, `<s>`. */
export const TURN_HEAD =
  /<\|im_start\|>|<\|(?:start_header_id|header_start)\|>|<start_of_turn>|<\|START_OF_TURN_TOKEN\|>|<[|｜](?:user|assistant|system)[|｜]>|\[INST\]|<(?:s|bos)>|<\|begin_of_text\|>|<[|｜]begin[_▁]of[_▁]sentence[|｜]>/i;

/** End of a turn behind which a server let the model write another; behind a space a sentence mentions it. */
export const NEXT_TURN = new RegExp(
  String.raw`(?:(?<![ \t])${END}|${END}(?=[ \t]{0,9}\n))\s{0,20}(?=${TURN_HEAD.source}|${END}|(?:human|user|question|problem)\s?\d{0,3}:|(?:user|assistant|system)\n)`,
  'gi',
);

/** What may stand before the text of a turn: its head, a token that begins a text, an empty thought. */
export const TURN_START = new RegExp(
  String.raw`^\s{0,20}(?:<(?:s|bos)>|<\|begin_of_text\|>|<[|｜]begin[_▁]of[_▁]sentence[|｜]>|<\|im_start\|>assistant\b|<\|(?:start_header_id|header_start)\|>assistant<\|(?:end_header_id|header_end)\|>|<start_of_turn>model\b|<[|｜]assistant[|｜]>|<(?:${TAG_NAMES})\s?/>)`,
  'i',
);
