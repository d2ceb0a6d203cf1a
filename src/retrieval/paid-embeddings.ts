import type { PaidEmbeddings } from '../contracts/embeddings.js';

export function nothingPaid(): PaidEmbeddings {
  return { texts: 0, requests: 0, input_tokens: 0, cost_usd: 0, cut: 0 };
}

/** Adds two amounts; the cost is unknown if that of either is. */
export function addPaid(left: PaidEmbeddings, right: PaidEmbeddings): PaidEmbeddings {
  const estimated = (left.estimated ?? 0) + (right.estimated ?? 0);
  return {
    texts: left.texts + right.texts,
    requests: left.requests + right.requests,
    ...(estimated === 0 ? {} : { estimated }),
    input_tokens: left.input_tokens + right.input_tokens,
    cost_usd: left.cost_usd === null || right.cost_usd === null ? null : left.cost_usd + right.cost_usd,
    cut: left.cut + right.cut,
  };
}
