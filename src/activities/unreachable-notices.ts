import { Context } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { UNREACHABLE_REPEAT_MS, type UnreachableNotice } from '../contracts/experiment.js';
import { SIGNALS } from '../contracts/names.js';
import type { OnUnreachable } from '../language-models/outage.js';
import type { ExperimentNotices } from './dependencies.js';

/**
 * Notifies experiments by a signal of what their calls wait for, so that it is visible in the experiment's status and
 * not only in this worker's output. Sent seldom, since each signal is part of a history. A failed notice is sent the
 * next time.
 */
export class UnreachableNotices implements ExperimentNotices {
  private readonly roots = new LRUCache<string, Promise<string>>({ max: 10_000 });
  /** Time of an experiment's last notice, by `performance.now()`. */
  private readonly told = new Map<string, number>();
  private sending: Promise<void> = Promise.resolve();

  constructor(private readonly log: Logger) {}

  listener(what: string): OnUnreachable {
    const context = Context.current();
    return (unreachable) => {
      const told = this.send(context, what, unreachable);
      told.catch((error: unknown) =>
        this.log.debug({ err: error }, 'an experiment was not told what is unreachable'),
      );
    };
  }

  private async send(context: Context, what: string, unreachable: { message: string } | null): Promise<void> {
    const workflowId = context.info.workflowExecution?.workflowId;
    if (workflowId === undefined) return;
    const experiment = await this.experimentOf(context, workflowId);
    const name = `${experiment} ${what}`;
    const told = this.told.get(name);
    if (unreachable === null ? told === undefined : told !== undefined && !isOld(told)) return;
    if (unreachable === null) this.told.delete(name);
    else this.told.set(name, performance.now());
    const notice: UnreachableNotice = { what, message: unreachable?.message ?? null };
    // Sent in order, since the last one counts.
    this.sending = this.sending
      .then(() => context.client.workflow.getHandle(experiment).signal(SIGNALS.unreachable, notice))
      .catch((error: unknown) => {
        this.told.delete(name);
        this.log.debug({ err: error }, 'an experiment was not told what is unreachable');
      });
    await this.sending;
  }

  /** Returns the root workflow of an experiment. */
  private experimentOf({ client }: Context, workflowId: string): Promise<string> {
    const known = this.roots.get(workflowId);
    if (known !== undefined) return known;
    const asked = client.workflow
      .getHandle(workflowId)
      .describe()
      .then(({ rootExecution }) => rootExecution?.workflowId ?? workflowId);
    this.roots.set(workflowId, asked);
    asked.catch(() => this.roots.delete(workflowId));
    return asked;
  }
}

function isOld(told: number): boolean {
  return performance.now() - told >= UNREACHABLE_REPEAT_MS;
}
