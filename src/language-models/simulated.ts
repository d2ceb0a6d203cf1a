import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CallIdentity,
  ChatMessage,
  GenerateReply,
  LanguageModel,
  Purpose,
} from '../contracts/language-model.js';
import { LanguageModelError } from './errors.js';
import { guard } from './guard.js';
import { type KnownAnswer, rightAnswer, wrongAnswer } from './simulated-answers.js';

const PROVIDER = 'simulated';

/** Upper limit of the accuracy, so that mistakes remain with any number of reflections. */
const MAXIMUM_ACCURACY = 0.98;

export interface SimulationSettings {
  /** Chance of a right answer without reflections, 0 to 1; 0.5 by default. */
  accuracy?: number;
  /** Milliseconds a call takes; 0 by default. */
  latency_ms?: number | { mean: number; deviation?: number };
  /** Share of attempts that fail as an overloaded server does, 0 to below 1; 0 by default. */
  error_rate?: number;
  /** Increase of the accuracy for each reflection in the prompt; 0.15 by default. */
  reflection_gain?: number;
}

export interface SimulatedOptions {
  simulation?: SimulationSettings;
  seed?: number;
  /** Milliseconds one call may take. */
  timeoutMs: number;
  /** Returns the sample's answer, or undefined if it is unknown. */
  answerFor?: (sampleId: string) => KnownAnswer | undefined;
}

/** Returns a source of uniform numbers in [0, 1) that depend only on the arguments: not on order, time or process. */
function draws(...parts: (string | number)[]): (index: number) => number {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return (index) => digest.readUInt32BE(4 * index) / 2 ** 32;
}

/** Counts lines such as `Reflection: …`, with or without a number or a list mark. */
function countReflections(messages: readonly ChatMessage[]): number {
  const line = /^[ \t]*(?:[-*][ \t]+|\d+[.)][ \t]+)?reflection(?:[ \t]+#?\d+)?[ \t]*:/gim;
  return messages.reduce((sum, { content }) => sum + (content.match(line)?.length ?? 0), 0);
}

const CANNED: Partial<Record<Purpose, string>> = {
  reflect:
    'Simulated reflection: check every step before giving the answer, and read the question once more.',
  curate: '<cheatsheet>\nSimulated cheatsheet: check every step before giving the answer.\n</cheatsheet>',
  synthesize: '<cheatsheet>\nSimulated cheatsheet: check every step before giving the answer.\n</cheatsheet>',
  judge: 'Simulated judgement: no opinion.',
  user: 'Simulated user: please continue.',
  evolve: 'Simulated reply: no program was written.',
  executor: 'Simulated reply: no program was run.',
};

/** Writes a verdict in the form that the prompt asks for. @param draw a number in [0, 1) */
function simulatedVerdict(messages: readonly ChatMessage[], isGood: boolean, draw: number): string {
  const asked = messages.at(-1)?.content ?? '';
  const [, lowest, highest] = /number from (-?[\d.]+) to (-?[\d.]+)>/.exec(asked) ?? [];
  if (lowest !== undefined && highest !== undefined) {
    const score = Number(lowest) + draw * (Number(highest) - Number(lowest));
    const reason = 'Simulated verdict.';
    return asked.includes('"score": <') ? JSON.stringify({ reason, score }) : `${reason}\nSCORE: ${score}`;
  }
  const letters = [...asked.matchAll(/\b([A-Z]) (?:for|if|\(worth)/g)].map(([, letter]) => letter);
  const others = letters.slice(1);
  const letter = isGood ? letters[0] : others[Math.floor(draw * others.length)];
  return `Simulated verdict.\nGRADE: ${letter ?? 'none'}`;
}

function milliseconds(latency: SimulationSettings['latency_ms'], draw: (index: number) => number): number {
  if (latency === undefined || typeof latency === 'number') return latency ?? 0;
  // Box-Muller; 1 - u keeps the logarithm finite.
  const normal = Math.sqrt(-2 * Math.log(1 - draw(4))) * Math.cos(2 * Math.PI * draw(5));
  return Math.max(0, latency.mean + (latency.deviation ?? 0) * normal);
}

/** Estimates the tokens of English text: about four characters each. */
function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/**
 * Creates a seeded stand-in for demonstrations and load tests. Every reply says that it is simulated. Costs nothing.
 *
 * A reply depends on the seed, the call's identity and the number of reflections in its prompt. A transient failure
 * also depends on the number of the attempt in this instance, so that a repeated call succeeds in the end.
 */
export function simulatedLanguageModel(options: SimulatedOptions): LanguageModel {
  const { seed = 0, answerFor, simulation = {} } = options;
  const { accuracy = 0.5, reflection_gain = 0.15, error_rate = 0 } = simulation;
  /** Failed attempts of the calls that have not succeeded yet. */
  const failures = new Map<string, number>();

  function failSometimes(call: CallIdentity, identity: string): void {
    if (error_rate <= 0) return;
    const attempt = failures.get(identity) ?? 0;
    if (draws(seed, identity, 'attempt', attempt)(0) >= error_rate) {
      failures.delete(identity);
      return;
    }
    failures.set(identity, attempt + 1);
    throw new LanguageModelError(
      'overloaded',
      `simulated failure ${attempt + 1} of sample ${call.sample_id} (HTTP 503)`,
      { provider: PROVIDER, status: 503 },
    );
  }

  function textOf(
    call: CallIdentity,
    messages: readonly ChatMessage[],
    draw: (index: number) => number,
  ): string {
    if (call.purpose === 'grade') return simulatedVerdict(messages, draw(0) < accuracy, draw(1));
    const canned = CANNED[call.purpose];
    if (canned !== undefined) return canned;
    const known = answerFor?.(call.sample_id);
    if (known === undefined) return 'Simulated reply: the answer to this is not known to the simulation.';
    const chance = Math.min(MAXIMUM_ACCURACY, accuracy + reflection_gain * countReflections(messages));
    const answer = draw(0) < chance ? rightAnswer(known) : wrongAnswer(known, draw(1));
    return `Simulated working: the question is read, and worked through in ${2 + Math.floor(draw(2) * 4)} steps.\n\nAnswer: ${answer}`;
  }

  return guard(
    { provider: PROVIDER, timeoutMs: options.timeoutMs },
    async ({ call, messages }, { signal }): Promise<GenerateReply> => {
      const identity = JSON.stringify([call.sample_id, call.trial, call.purpose, call.ordinal]);
      const draw = draws(seed, identity);
      const wait = milliseconds(simulation.latency_ms, draw);
      if (wait > 0) await sleep(wait, undefined, { signal });
      failSometimes(call, identity);
      const text = textOf(call, messages, draw);
      const read = messages.reduce((sum, { content }) => sum + content.length, 0);
      return {
        text,
        usage: { input_tokens: estimateTokens(read), output_tokens: estimateTokens(text.length) },
        finish_reason: 'stop',
        cost_usd: 0,
      };
    },
  );
}
