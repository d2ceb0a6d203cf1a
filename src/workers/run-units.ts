import { Context } from '@temporalio/activity';
import { AttemptJournal, heartbeating, workerCrash } from '../activities/attempt-journal.js';
import { UNIT_MAIL, UNITS_STOPPING, type UnitMail, type UnitsActivities } from '../contracts/run-units.js';
import { runPlainly } from '../in-process/plain-sdk.js';
import { WORKFLOW_KINDS } from '../kinds/workflows.js';
import { dispatcherOf } from '../workflows/dispatch.js';

/** One workflow for those of every kind, selected by the started type. */
const dispatch = dispatcherOf(WORKFLOW_KINDS);

/** Milliseconds between two questions for mail. */
const ASKED_EVERY = 1000;

type Execution = { workflowId: string; runId: string };
type Deliver = (signal: string, args: unknown[]) => void;

/** Mail of one execution of an experiment for those of its units that this process runs. */
class Mailbox {
  private readonly units = new Map<string, { deliver: Deliver; seen: Map<string, string> }>();
  private timer: NodeJS.Timeout | undefined;
  private isAsking = false;
  private isDue = false;

  constructor(
    private readonly experiment: Execution,
    private readonly client: Context['client'],
    private readonly around: { onEmpty(): void; isStopping(): boolean },
  ) {}

  /** Delivers the mail of a unit from now on. @returns ends that */
  open(unit: string, deliver: Deliver): () => void {
    this.units.set(unit, { deliver, seen: new Map() });
    this.timer ??= setInterval(() => void this.ask(), ASKED_EVERY);
    return () => {
      this.units.delete(unit);
      if (this.units.size > 0) return;
      clearInterval(this.timer);
      this.around.onEmpty();
    };
  }

  /** Asks for mail, once more if it is asked to meanwhile. While the experiment cannot be reached, there is none. */
  async ask(): Promise<void> {
    this.isDue = true;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.isDue) {
      this.isDue = false;
      if (this.around.isStopping()) this.deliver(this.stopping());
      const { workflowId, runId } = this.experiment;
      const handle = this.client.workflow.getHandle(workflowId, runId);
      await handle.query<UnitMail, [string[]]>(UNIT_MAIL, [...this.units.keys()]).then(
        (mail) => this.deliver(mail),
        () => undefined,
      );
    }
    this.isAsking = false;
  }

  private stopping(): UnitMail {
    return Object.fromEntries([...this.units.keys()].map((unit) => [unit, { [UNITS_STOPPING]: [] }]));
  }

  private deliver(mail: UnitMail): void {
    for (const [unit, signals] of Object.entries(mail)) {
      const { deliver, seen } = this.units.get(unit) ?? {};
      for (const [signal, args] of Object.entries(signals)) {
        const content = JSON.stringify(args);
        if (seen?.get(signal) === content) continue;
        seen?.set(signal, content);
        deliver?.(signal, args);
      }
    }
  }
}

/**
 * Creates the activities that run units in this process, by the workflow that would run them on the server: each of its
 * activities is called here, without a history. What they store is what another attempt continues from.
 * @param activities of this worker
 * @param worker `isStopping` reports whether it is about to stop
 */
export function createRunUnits(
  activities: object,
  { notify, isStopping }: { notify(message: string): void; isStopping(): boolean },
): UnitsActivities {
  const mailboxes = new Map<string, Mailbox>();

  const mailboxOf = (experiment: Execution, client: Context['client']): Mailbox => {
    const { runId } = experiment;
    const mailbox =
      mailboxes.get(runId) ??
      new Mailbox(experiment, client, { onEmpty: () => void mailboxes.delete(runId), isStopping });
    mailboxes.set(runId, mailbox);
    return mailbox;
  };

  /** Returns the execution that the current activity works for, what its units have in common, and what is around them. */
  const current = (args: unknown[]) => {
    const { info, client, cancellationSignal } = Context.current();
    const { workflowExecution: experiment, activityId, attempt } = info;
    if (experiment === undefined) throw new Error('units are run for an experiment');
    return {
      experiment,
      input: { runId: experiment.runId, args: [...args, attempt], idPrefix: `${activityId}.${attempt}.` },
      around: {
        activities,
        warn: notify,
        client,
        signal: cancellationSignal,
        // Seen in the Temporal UI as the details of the last heartbeat.
        onDetails: (details: string) => {
          AttemptJournal.of().notes.details = details;
        },
      },
    };
  };

  return {
    runUnits: ({ type, args }) =>
      heartbeating(async () => {
        const { experiment, input, around } = current(args);
        return runPlainly(dispatch, { workflowId: experiment.workflowId, type, ...input }, around);
      }),
    runUnit: ({ type, args, unit }) =>
      heartbeating(async () => {
        const journal = AttemptJournal.of();
        // Which of its activities crashes its worker is found in a workflow.
        if (journal.isSuspect) throw workerCrash(journal.lost);
        const { experiment, input, around } = current(args);
        const mailbox = mailboxOf(experiment, around.client);
        const receives = (deliver: Deliver) => mailbox.open(unit, deliver);
        // What it was begun with is as old as its first attempt: it may be paused since.
        const isReady = input.args.at(-1) === 1 ? undefined : () => mailbox.ask();
        const onSent = () => void mailbox.ask();
        return runPlainly(
          dispatch,
          { workflowId: unit, parent: experiment, type, ...input },
          { ...around, receives, onSent, ...(isReady === undefined ? {} : { isReady }) },
        );
      }),
  };
}
