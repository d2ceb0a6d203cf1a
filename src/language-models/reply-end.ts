import type { FinishReason, Usage } from '../contracts/language-model.js';
import { tidyErrorText } from './error-text.js';
import { LanguageModelError } from './errors.js';

/** End of a reply: as the model intended, at a limit, or a failure reported by the provider. */
export type ReplyEnd = FinishReason | 'broken_off' | 'paused';

/**
 * Meanings of the providers' words, in lower case. All of them are in one table, because gateways pass on the words of
 * other providers: Gemini's and Anthropic's occur in OpenAI's protocol too.
 */
const ENDS: Record<string, ReplyEnd> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  complete: 'stop',
  completed: 'stop',
  tool_calls: 'tool_calls',
  tool_call: 'tool_calls',
  tool_use: 'tool_calls',
  function_call: 'tool_calls',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  max_length: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  context_length_exceeded: 'length',
  context_window_exceeded: 'length',
  contextlengthreached: 'length',
  maxpredictedtokensreached: 'length',
  max_new_tokens: 'length',
  // watsonx and Cohere.
  token_limit: 'length',
  error_limit: 'length',
  // Gemini: the limit of one request is reached, and no further request is sent.
  continuation: 'length',
  incomplete: 'length',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  sensitive: 'content_filter',
  moderation: 'content_filter',
  error_toxic: 'content_filter',
  safety: 'content_filter',
  recitation: 'content_filter',
  blocklist: 'content_filter',
  prohibited_content: 'content_filter',
  spii: 'content_filter',
  language: 'content_filter',
  model_armor: 'content_filter',
  image_safety: 'content_filter',
  image_prohibited_content: 'content_filter',
  image_recitation: 'content_filter',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
  pause_turn: 'paused',
  function_call_filter: 'broken_off',
  malformed_function_call: 'broken_off',
  malformed_tool_use: 'broken_off',
  malformed_model_output: 'broken_off',
  malformed_response: 'broken_off',
  unexpected_tool_call: 'broken_off',
  too_many_tool_calls: 'broken_off',
  missing_thought_signature: 'broken_off',
  no_image: 'broken_off',
  image_other: 'broken_off',
  other: 'broken_off',
  insufficient_system_resource: 'broken_off',
};

/** Failures among words that are not in the table: vLLM's `abort`, Zhipu's `network_error`, OpenRouter's `error`. */
const FAILURE = /error|fail|abort|cancel|interrupt|timeout|overload|disconnect/;

/**
 * Returns the meaning of a provider's word for the end of a reply; `unknown` if the word is new and names no failure.
 */
export function readEnd(reason: unknown): ReplyEnd {
  if (typeof reason !== 'string') return 'unknown';
  const word = reason.trim().toLowerCase().replaceAll('-', '_');
  // Gemini's OpenAI-compatible address says `function_call_filter: MALFORMED_FUNCTION_CALL`; the second is more exact.
  const [first = '', ...rest] = word.split(':').map((part) => part.trim());
  const known = [word, rest.join(':'), first].find((part) => Object.hasOwn(ENDS, part));
  if (known !== undefined) return ENDS[known] as ReplyEnd;
  return FAILURE.test(word) ? 'broken_off' : 'unknown';
}

/** Facts about a reply whose end the provider reports as a failure. */
export interface FailedEnd {
  provider: string;
  serverName: string;
  end: 'broken_off' | 'paused' | 'content_filter';
  /** Provider's own word for the end. */
  reason: string;
  /** Provider's explanation. */
  words?: string;
  /** Billed tokens of the reply. */
  usage?: Usage;
  secrets?: readonly string[];
}

/** Creates the error of a failed reply, whose text is dropped: half an answer would be judged as the model's. */
export function failedEnd(failed: FailedEnd): LanguageModelError {
  const { provider, serverName, end, reason, words = '', usage, secrets } = failed;
  const said = tidyErrorText(words, secrets);
  const what = end === 'content_filter' ? 'withheld the reply' : 'broke the reply off';
  return new LanguageModelError(
    end === 'content_filter' ? 'content_filter' : 'broken_off',
    `${serverName} ${what} (${tidyErrorText(reason, secrets)})${said === '' ? '' : `: ${said}`}`,
    { provider, usage },
  );
}
