/** How long the mock model takes. */
export interface Latency {
  /** Milliseconds; their mean, where they are jittered. */
  latency: number;
  /** Each request takes its own time, drawn from a log-normal distribution, as those of real models do. */
  jitter: boolean;
}

/** Of the logarithm: one request in twenty takes twice the mean. */
const SIGMA = 0.5;

/** A number below 1 for each whole number, always the same. */
function uniform(number: number): number {
  let mixed = (number * 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

/** Milliseconds that the request of this number takes, from 1 up: the same for every contestant, whatever is asked. */
export function latencyOf(number: number, { latency, jitter }: Latency): number {
  if (!jitter) return latency;
  const radius = Math.sqrt(-2 * Math.log(1 - uniform(2 * number)));
  const normal = radius * Math.cos(2 * Math.PI * uniform(2 * number + 1));
  return latency * Math.exp(SIGMA * normal - SIGMA ** 2 / 2);
}

/** Seconds of so many requests, so many at a time, where nothing but the model takes time. */
export function idealSeconds(
  { samples, concurrency }: { samples: number; concurrency: number },
  model: Latency,
): number {
  const freeAt = Array.from({ length: concurrency }, () => 0);
  for (let number = 1; number <= samples; number++) {
    const first = freeAt.indexOf(Math.min(...freeAt));
    freeAt[first] = (freeAt[first] as number) + latencyOf(number, model);
  }
  return Math.max(...freeAt) / 1000;
}

/** `1000 ms`, `1000 ms, jittered`. */
export const latencyText = ({ latency, jitter }: Latency) => `${latency} ms${jitter ? ', jittered' : ''}`;
