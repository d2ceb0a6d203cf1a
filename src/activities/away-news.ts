import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { AWAY_TOLD_AGAIN_MS, type AwayNotice } from '../contracts/experiment.js';
import { SIGNALS } from '../contracts/names.js';
import type { HearAway } from '../language-models/outage.js';
import type { ExperimentNews } from './dependencies.js';
import { Lru } from './lru.js';

/**
 * Tells experiments by a signal what their calls wait for, so that whoever looks at one sees it, and not only those who
 * watch this worker. Told seldom: each signal stands in a history. What cannot be told is told the next time.
 */
export class AwayNews implements ExperimentNews {
  private readonly roots = new Lru<string, Promise<string>>(10_000);
  /** When an experiment was told so last, by `performance.now()`. */
  private readonly told = new Map<string, number>();
  private sending: Promise<void> = Promise.resolve();

  constructor(private readonly log: Logger) {}

  listener(what: string): HearAway {
    const context = Context.current();
    return (away) => {
      const told = this.tell(context, what, away);
      told.catch((error: unknown) =>
        this.log.debug({ err: error }, 'an experiment was not told what is away'),
      );
    };
  }

  private async tell(context: Context, what: string, away: { message: string } | null): Promise<void> {
    const workflowId = context.info.workflowExecution?.workflowId;
    if (workflowId === undefined) return;
    const experiment = await this.experimentOf(context, workflowId);
    const name = `${experiment} ${what}`;
    const told = this.told.get(name);
    if (away === null ? told === undefined : told !== undefined && !isOld(told)) return;
    if (away === null) this.told.delete(name);
    else this.told.set(name, performance.now());
    const notice: AwayNotice = { what, message: away?.message ?? null };
    // One after the other: the last one counts.
    this.sending = this.sending
      .then(() => context.client.workflow.getHandle(experiment).signal(SIGNALS.away, notice))
      .catch((error: unknown) => {
        this.told.delete(name);
        this.log.debug({ err: error }, 'an experiment was not told what is away');
      });
    await this.sending;
  }

  /** The workflow that all others of an experiment were started by. */
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
  return performance.now() - told >= AWAY_TOLD_AGAIN_MS;
}
