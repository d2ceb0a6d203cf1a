import { UNIT_MAIL, type UnitMail, type UnitsActivities } from '../contracts/run-units.js';
import { unitsOptions } from './activity-options.js';
import { signalTo } from './children.js';
import { activitiesOf, defineQuery, type SignalDefinition, setHandler, workflowInfo } from './sdk.js';

const { runUnit } = activitiesOf<UnitsActivities>({ startToCloseTimeout: '1m' });

const mailQuery = defineQuery<UnitMail, [units: string[]]>(UNIT_MAIL);

/** Unit to begin: the workflow that would be a child of the experiment. */
interface Unit {
  /** Reference of the experiment for its activities. */
  run: string;
  workflowId: string;
  type: string;
  args: unknown[];
  /** Shown in the Temporal UI. */
  summary: string;
}

/**
 * Units of an experiment that workers run in their process, each an activity instead of a child workflow. Signals to
 * them wait here until the worker asks for them; of each signal the newest counts.
 */
export class HostedUnits {
  private readonly mail = new Map<string, Record<string, unknown[]>>();

  constructor() {
    setHandler(mailQuery, (units) => {
      const found = units.map((unit) => [unit, this.mail.get(unit)] as const);
      return Object.fromEntries(found.filter(([, mail]) => mail !== undefined)) as UnitMail;
    });
  }

  /** Begins a unit. @returns what a child workflow's handle has */
  begin<Result>({ run, workflowId, type, args, summary }: Unit) {
    this.mail.set(workflowId, {});
    const running = runUnit.executeWithOptions(unitsOptions(summary), [
      { run, type, args, unit: workflowId },
    ]) as Promise<Result>;
    const ended = running.finally(() => this.mail.delete(workflowId));
    ended.catch(() => undefined);
    return { workflowId, firstExecutionRunId: workflowInfo().runId, result: () => ended };
  }

  /** Sends a signal to a unit, or to a child workflow; see `signalTo`. */
  signal<Sent extends unknown[]>(
    to: { workflowId: string },
    signal: SignalDefinition<Sent>,
    ...sent: Sent
  ): void {
    const mail = this.mail.get(to.workflowId);
    if (mail === undefined) signalTo(to, signal, ...sent);
    else mail[signal.name] = sent;
  }
}
