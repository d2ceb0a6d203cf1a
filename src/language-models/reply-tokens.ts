import { isMapping } from '../contracts/json.js';
import type { ReplyTokens } from '../contracts/language-model.js';

/** Token as a provider sends it, with its likely alternatives. */
interface SentToken {
  token: string;
  logprob: number;
  id: number | null;
  top: { token: string; logprob: number }[];
}

/** Token of vLLM with `return_tokens_as_token_ids`. */
const TOKEN_ID = /^token_id:(\d{1,10})$/;

const idIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;

function tokenIn(value: unknown, top: readonly unknown[] = []): SentToken | null {
  if (!isMapping(value)) return null;
  const { token, logprob = value.logProbability, id = value.tokenId } = value;
  if (typeof token !== 'string' || typeof logprob !== 'number' || !Number.isFinite(logprob)) return null;
  const written = TOKEN_ID.exec(token)?.[1];
  const likely = top.flatMap((one) => tokenIn(one) ?? []);
  return {
    token,
    logprob,
    id: idIn(id) ?? (written === undefined ? null : Number(written)),
    top: likely.map((one) => ({ token: one.token, logprob: one.logprob })),
  };
}

/** Returns a list of token ids; null for anything else. */
function idsIn(value: unknown): number[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const ids = value.map(idIn);
  return ids.every((id) => id !== null) ? ids : null;
}

/**
 * Converts tokens to lists of the same length. If one is unreadable, all are left out: a gap would shift the others.
 */
function listed(sent: readonly (SentToken | null)[], given: number[] | null): ReplyTokens | undefined {
  const tokens = sent.every((one) => one !== null) ? sent : [];
  if (tokens.length === 0) return given === null ? undefined : { token_ids: given };
  const own = tokens.map(({ id }) => id);
  const ids = given?.length === tokens.length ? given : own.every((id) => id !== null) ? own : null;
  return {
    ...(ids === null ? {} : { token_ids: ids }),
    tokens: tokens.map(({ token }) => token),
    logprobs: tokens.map(({ logprob }) => logprob),
    ...(tokens.some(({ top }) => top.length > 0)
      ? {
          top_tokens: tokens.map(({ top }) => top.map(({ token }) => token)),
          top_logprobs: tokens.map(({ top }) => top.map(({ logprob }) => logprob)),
        }
      : {}),
  };
}

/** Returns tokens in lists beside each other, OpenAI's shape of 2020, as they are in `logprobs.content`. */
function fromLists({ tokens, token_logprobs, top_logprobs }: Record<string, unknown>): unknown[] {
  const at = (list: unknown, index: number): unknown => (Array.isArray(list) ? list[index] : undefined);
  return (Array.isArray(tokens) ? tokens : []).map((token, index) => ({
    token,
    logprob: at(token_logprobs, index),
    top_logprobs: Object.entries(at(top_logprobs, index) ?? {}).map(([text, logprob]) => ({
      token: text,
      logprob,
    })),
  }));
}

/**
 * Reads the tokens of a choice in OpenAI's protocol: `logprobs.content`, in which llama.cpp adds an `id` to each token,
 * or Together's lists, and the `token_ids` of vLLM and Together.
 */
export function tokensOfChoice({ logprobs, token_ids }: Record<string, unknown>): ReplyTokens | undefined {
  const given = isMapping(logprobs) ? logprobs : {};
  const content = Array.isArray(given.content) ? given.content : fromLists(given);
  const sent = content.map((one) => {
    const top = isMapping(one) && Array.isArray(one.top_logprobs) ? one.top_logprobs : [];
    return tokenIn(one, top);
  });
  return listed(sent, idsIn(token_ids ?? given.token_ids));
}

/** Reads the tokens of a Gemini candidate: `logprobsResult`. */
export function tokensOfCandidate({ logprobsResult }: Record<string, unknown>): ReplyTokens | undefined {
  if (!isMapping(logprobsResult)) return undefined;
  const { chosenCandidates, topCandidates } = logprobsResult;
  const tops = Array.isArray(topCandidates) ? topCandidates : [];
  const sent = (Array.isArray(chosenCandidates) ? chosenCandidates : []).map((one, at) => {
    const top: unknown = tops[at];
    return tokenIn(one, isMapping(top) && Array.isArray(top.candidates) ? top.candidates : []);
  });
  return listed(sent, null);
}
