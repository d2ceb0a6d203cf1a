import { isMapping } from '../contracts/json.js';
import type { ReplyTokens } from '../contracts/language-model.js';

/** A token as a provider sends it, with those that were likely in its place; null where it is none that can be read. */
interface SentToken {
  token: string;
  logprob: number;
  id: number | null;
  top: { token: string; logprob: number }[];
}

/** vLLM with `return_tokens_as_token_ids`. */
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

/** A list of numbers that all are ids of tokens; null for anything else. */
function idsIn(value: unknown): number[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const ids = value.map(idIn);
  return ids.every((id) => id !== null) ? ids : null;
}

/** What was sent, as lists of the same length. Where one token cannot be read none is: a gap would shift all that follow. */
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

/**
 * The tokens of a choice of OpenAI's protocol: `logprobs.content`, where llama.cpp has an `id` beside each token, and the
 * `token_ids` that vLLM adds.
 */
export function tokensOfChoice({ logprobs, token_ids }: Record<string, unknown>): ReplyTokens | undefined {
  const content = isMapping(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : [];
  const sent = content.map((one) => {
    const top = isMapping(one) && Array.isArray(one.top_logprobs) ? one.top_logprobs : [];
    return tokenIn(one, top);
  });
  return listed(sent, idsIn(token_ids));
}

/** The tokens of a candidate of Gemini's: `logprobsResult`. */
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
