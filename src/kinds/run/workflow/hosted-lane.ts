import type { MemoryJournal } from '../../../memory/memory-module.js';
import { CallRefusedError, type LanePorts } from '../../../runtime/ports.js';
import { describeError, invalidInput } from '../../../workflows/failures.js';
import { CancellationScope, offer, withdraw } from '../../../workflows/sdk.js';
import type { RunPlan } from '../contracts.js';
import type { LaneOutcome } from '../lane/lane.js';
import type { LaneState } from '../lane/lane-state.js';
import type { PortAnswer } from '../own-lane.js';
import { ownLanes } from './activities.js';

/** What a hosted lane needs of its session. */
export type SessionPorts = Pick<
  LanePorts,
  'openSample' | 'step' | 'generate' | 'execute' | 'record' | 'isInterruption'
> &
  MemoryJournal & {
    /** @param state between two episodes, from time to time; null: as before */
    mayProceed(boundary: 'episode' | 'step', state: LaneState | null): Promise<boolean>;
  };

/** Lane whose agent or memory is a user's: it runs in a thread of this process, and asks its session for the rest. */
export class HostedLane {
  private state: LaneState;
  private interruption: unknown;

  constructor(
    private readonly plan: RunPlan,
    state: LaneState,
    private readonly ports: SessionPorts,
  ) {
    this.state = state;
  }

  /** Returns the newest state that is known here. */
  snapshot(): LaneState {
    return this.state;
  }

  async run(): Promise<LaneOutcome> {
    const { run } = this.plan;
    const { cancelRequested } = CancellationScope.current();
    const session = offer({ ...this.offers(), interrupted: () => cancelRequested });
    try {
      // A cancelled lane ends by its calls, and its state is kept.
      const hosted = () => ownLanes.runOwnLane({ run, session, state: this.state });
      const result = await CancellationScope.nonCancellable(hosted);
      if ('unfit' in result) throw invalidInput(new Error(result.unfit));
      this.state = result.state;
      if (result.outcome !== 'interrupted') return result.outcome;
      throw this.interruption ?? (await cancelRequested);
    } finally {
      withdraw(session);
    }
  }

  private offers() {
    const { ports } = this;
    const answered =
      <Given extends unknown[]>(port: (...given: Given) => unknown) =>
      (...given: Given): Promise<PortAnswer> =>
        this.answer(() => port(...given));
    return {
      mayProceed: answered((boundary: 'episode' | 'step', state: LaneState | null) => {
        if (state !== null) this.state = state;
        return ports.mayProceed(boundary, state);
      }),
      openSample: answered(ports.openSample),
      step: answered(ports.step),
      generate: answered(ports.generate),
      execute: answered(ports.execute),
      record: answered(ports.record),
      search: answered(ports.search),
      append: answered(ports.append),
    };
  }

  private async answer(call: () => unknown): Promise<PortAnswer> {
    try {
      return { value: await call() };
    } catch (error) {
      const failed = describeError(error);
      if (error instanceof CallRefusedError) return { failed, how: 'refusal' };
      if (!this.ports.isInterruption(error)) return { failed, how: 'failure' };
      this.interruption ??= error;
      return { failed, how: 'interruption' };
    }
  }
}
