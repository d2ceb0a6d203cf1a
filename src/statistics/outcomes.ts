import type { Json, JsonObject } from '../contracts/json.js';

/** Scores of a trial by name; true and false for right and wrong. */
type Scores = Readonly<Record<string, number | boolean>>;

/** A row of an experiment's results in the form that is compared with another experiment's, whatever its kind. */
export interface Outcome {
  /** Id of the sample. */
  id: string;
  /** From 0. */
  trial: number;
  /** Independent repetition of the sample that the trial is of; absent if there is one. */
  epoch?: number;
  question: string | null;
  /** Right answer, or all of them; null if the row has none. */
  target: Json;
  metadata: JsonObject;
  /** Answer, or the reason of the judgement where that says more; null if there is none. */
  answer: string | null;
  /** Null if the trial could not be judged. */
  scores: Scores | null;
  /** Wall time; null if the row has none. */
  seconds: number | null;
}

/** Trial of a sample, as far as it differs between the sample's trials. */
export type ComparedTrial = Pick<Outcome, 'trial' | 'epoch' | 'answer' | 'scores'>;

/** A sample with its trials in order. */
export interface ComparedSample extends Pick<Outcome, 'id' | 'question' | 'target' | 'metadata'> {
  trials: ComparedTrial[];
}

/** Groups rows by sample, in the order of the rows. */
export async function comparedSamples(
  outcomes: AsyncIterable<Outcome>,
): Promise<Map<string, ComparedSample>> {
  const samples = new Map<string, ComparedSample>();
  for await (const { id, question, target, metadata, seconds: _seconds, ...trial } of outcomes) {
    const sample = samples.get(id) ?? { id, question, target, metadata, trials: [] };
    samples.set(id, sample);
    sample.trials.push(trial);
  }
  for (const { trials } of samples.values()) trials.sort((left, right) => left.trial - right.trial);
  return samples;
}

/** Returns the last trial of each epoch, of trials in order. */
export function lastTrials<Trial extends Pick<Outcome, 'epoch'>>(trials: readonly Trial[]): Trial[] {
  return trials.filter(({ epoch }, index) => {
    const next = trials[index + 1];
    return next === undefined || next.epoch !== epoch;
  });
}
