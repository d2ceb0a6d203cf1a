import type { StepAnswer } from '../../../contracts/environment.js';
import type { Json } from '../../../contracts/json.js';
import type { OpenedSample } from '../../../runtime/ports.js';
import type { RunPlan } from '../contracts.js';
import { ENVIRONMENT_OPTIONS, environments } from './activities.js';

/** Samples opened with one activity; the activity returns fewer if they are large. */
const OPENED_AT_ONCE = 32;

/**
 * Access of a run to its environments. Built-in ones are opened in batches and stepped together with the model's reply;
 * a user's is opened and stepped on its own.
 */
export class EnvironmentGateway {
  private readonly opened = new Map<number, OpenedSample>();
  private opening: Promise<void> = Promise.resolve();

  constructor(private readonly plan: RunPlan) {}

  async open(slot: number): Promise<OpenedSample> {
    if (!this.plan.rules.step_with_reply) return this.openOne(slot);
    while (!this.opened.has(slot)) {
      this.opening = this.opening.then(() => this.openFrom(slot));
      await this.opening;
    }
    const sample = this.opened.get(slot) as OpenedSample;
    this.opened.delete(slot);
    return sample;
  }

  step(sample: OpenedSample, state: Json, action: string): Promise<StepAnswer> {
    return environments.stepEnvironment.executeWithOptions(
      { ...ENVIRONMENT_OPTIONS, summary: `${sample.id} · step` },
      [{ run: this.plan.run, index: sample.index, state, action }],
    );
  }

  private async openFrom(slot: number): Promise<void> {
    if (this.opened.has(slot)) return;
    const input = { run: this.plan.run, from: slot, count: OPENED_AT_ONCE };
    const rows = await environments.openSamples(input);
    rows.forEach((row, position) => void this.opened.set(slot + position, row));
  }

  private async openOne(slot: number): Promise<OpenedSample> {
    const input = { run: this.plan.run, from: slot, count: 1 };
    return (await environments.openSamples(input))[0] as OpenedSample;
  }
}
