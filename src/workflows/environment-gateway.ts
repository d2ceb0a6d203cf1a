import type { StepAnswer, StepEnvironmentsInput } from '../contracts/activities.js';
import type { StepOutcome } from '../contracts/environment.js';
import type { Json } from '../contracts/json.js';
import type { EpisodeError } from '../contracts/results.js';
import type { RunPlan } from '../contracts/run.js';
import type { OpenedSample } from '../runtime/ports.js';
import { batched } from './batcher.js';
import { environments, localEnvironments } from './proxies.js';

/** Samples opened ahead with one local activity; the activity gives fewer where they are large. */
const PREFETCH = 32;

/** An environment could not take a step; carries what the activity said of it. */
export class StepError extends Error {
  constructor(readonly problem: EpisodeError) {
    super(problem.message);
    this.name = problem.type;
  }
}

/** A shard's way to its environments: local activities for built-in ones, many samples and steps at a time. */
export class EnvironmentGateway {
  private readonly opened = new Map<number, OpenedSample>();
  private opening: Promise<void> = Promise.resolve();
  private readonly stepInBatch: (item: StepEnvironmentsInput['items'][number]) => Promise<StepAnswer>;

  constructor(private readonly plan: RunPlan) {
    this.stepInBatch = batched((items) => localEnvironments.stepEnvironments({ run: plan.run, items }));
  }

  async open(slot: number, trial: number): Promise<OpenedSample> {
    if (!this.plan.local_environment) return this.openOne(slot, trial);
    while (!this.opened.has(slot)) {
      this.opening = this.opening.then(() => this.prefetch(slot));
      await this.opening;
    }
    const sample = this.opened.get(slot) as OpenedSample;
    this.opened.delete(slot);
    return sample;
  }

  async step(sample: OpenedSample, state: Json, action: string): Promise<StepOutcome> {
    const item = { index: sample.index, state, action };
    const answer = this.plan.local_environment
      ? await this.stepInBatch(item)
      : await this.stepOne(sample, item);
    if (answer !== undefined && 'error' in answer) throw new StepError(answer.error);
    return answer as StepOutcome;
  }

  private async prefetch(slot: number): Promise<void> {
    if (this.opened.has(slot)) return;
    const stride = this.plan.memory_scope === 'run' ? 1 : this.plan.shards;
    const rows = await localEnvironments.openSamples({
      run: this.plan.run,
      from: slot,
      stride,
      count: PREFETCH,
      trial: 0,
    });
    rows.forEach((row, position) => void this.opened.set(slot + position * stride, row));
  }

  private async openOne(slot: number, trial: number): Promise<OpenedSample> {
    const rows = await environments.openSamples({
      run: this.plan.run,
      from: slot,
      stride: 1,
      count: 1,
      trial,
    });
    return rows[0] as OpenedSample;
  }

  private async stepOne(
    sample: OpenedSample,
    item: StepEnvironmentsInput['items'][number],
  ): Promise<StepAnswer | undefined> {
    const answers = await environments.stepEnvironments.executeWithOptions(
      { startToCloseTimeout: '1h', heartbeatTimeout: '30s', summary: `${sample.id} · step` },
      [{ run: this.plan.run, items: [item] }],
    );
    return answers[0];
  }
}
