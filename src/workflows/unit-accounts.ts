import type { EpisodeError } from '../contracts/results.js';
import type { RequestGrant, StepCost } from '../contracts/step-cost.js';
import { CallRefusedError } from '../runtime/ports.js';
import { addStep, newlyPaid } from '../runtime/step-cost.js';
import { addErrors, type ErrorCounts } from '../statistics/error-tally.js';
import { costAtLimit, describeError, fatalMessage } from './failures.js';
import { requestUntilAnswered } from './request-until-answered.js';
import { ActivityFailure, isCancellation } from './sdk.js';

/** Totals of units; their errors are the units that were given up. */
export interface UnitTotals extends StepCost, ErrorCounts {}

/** Grant of a call: for a new request, or only for a stored reply. */
export type Grant = 'new' | 'stored';

/** What is around the accounts of units: the experiment's workflow, or a bundle in a worker's process. */
export interface AroundUnits {
  /** True if each request needs a grant. */
  isLimited(): boolean;
  /** Waits until another call may begin; false if no further call may begin at all. */
  mayAsk(): Grant | false | Promise<Grant | false>;
  /** Called after a call of a grant has ended. @param cost of it, as far as no earlier execution paid for it */
  ended(grant: Grant, cost: StepCost, how: 'answered' | 'failed'): void;
  /** Called when stored replies that were looked for are missing. */
  storedAreMissing(): void;
  /** Notes that a unit that was begun stays open. */
  leaves(unit: number): void;
  fail(why: string): void;
  changed(): void;
}

/** Calls of one unit, and what it adds to the totals. */
export interface UnitAccount<Totals> {
  /**
   * Requests a reply, and adds its cost to the totals.
   * @param send runs the activity
   * @throws CallRefusedError if no further call may be made, or the failure of the last request.
   */
  reply<Reply extends StepCost>(
    send: (request: RequestGrant) => Promise<Reply>,
    book: (totals: Totals, reply: Reply) => Totals,
  ): Promise<Reply>;
  /** Changes the totals otherwise. */
  count(change: (totals: Totals) => Totals): void;
  /** Counts the unit as given up. @param type of its error */
  gaveUp(type: string): void;
}

/** Accounts of units that run concurrently, in an experiment's workflow or in a bundle of its units. */
export class UnitAccounts<Totals extends UnitTotals> {
  /** Units in progress, by their number: when each was begun, in milliseconds since 1970. */
  readonly running = new Map<number, number>();

  constructor(
    public totals: Totals,
    private readonly around: AroundUnits,
    /** Units whose request may have been cut off with earlier workers, and how often: 0 units, unless one was lost. */
    private readonly cutOff: { units: number; times: number } = { units: 0, times: 0 },
  ) {}

  /**
   * Works on a unit until it has ended, was given up, or stays open because no further call may be made.
   * @param recordError stores the reason of giving up, for the artifacts
   */
  async unit(
    number: number,
    work: (account: UnitAccount<Totals>) => Promise<void>,
    recordError: (error: EpisodeError) => Promise<unknown>,
  ): Promise<void> {
    this.running.set(number, Date.now());
    this.around.changed();
    const account = this.account();
    try {
      await work(account);
    } catch (error) {
      await this.broken(number, error, account, recordError);
    } finally {
      this.running.delete(number);
      this.around.changed();
    }
  }

  private account(): UnitAccount<Totals> {
    let mayBeCutOff = true;
    return {
      reply: (send, book) => {
        const times = mayBeCutOff && this.cutOff.units > 0 ? this.cutOff.times : 0;
        const paid = (cost: StepCost) => {
          if (times === 0 || !mayBeCutOff || cost.unrecorded === undefined) return;
          mayBeCutOff = false;
          this.cutOff.units -= 1;
        };
        return this.reply(times, paid, send, book);
      },
      count: (change) => {
        this.totals = change(this.totals);
      },
      gaveUp: (type) => {
        const given = addErrors(this.totals, { errors: 1, errors_by_type: { [type]: 1 } });
        this.totals = { ...this.totals, ...given };
        this.around.changed();
      },
    };
  }

  private reply<Reply extends StepCost>(
    cutOff: number,
    paid: (cost: StepCost) => void,
    send: (request: RequestGrant) => Promise<Reply>,
    book: (totals: Totals, reply: Reply) => Totals,
  ): Promise<Reply> {
    const { around } = this;
    return requestUntilAnswered<Reply, Grant>(
      {
        isLimited: around.isLimited(),
        cutOff,
        request: () => around.mayAsk(),
        answered: (reply, grant) => {
          const fresh = newlyPaid(reply) as Reply;
          this.totals = book(this.totals, fresh);
          paid(reply);
          around.ended(grant, reply, 'answered');
        },
        failed: (cost, _error, grant) => {
          this.totals = addStep(this.totals, cost);
          paid(cost);
          around.ended(grant, cost, 'failed');
        },
        gaveUp: async (error) => {
          if (costAtLimit(error) === null) throw error;
          // An expected stored reply is missing; mostly, later ones are missing as well.
          around.storedAreMissing();
          throw new CallRefusedError();
        },
      },
      (before, grant) => send(grant === 'stored' ? { ...before, stored_only: true } : before),
    );
  }

  /** Handles the error of a unit. @throws an error that belongs to no unit: a cancellation, or an internal error. */
  private async broken(
    number: number,
    error: unknown,
    account: UnitAccount<Totals>,
    recordError: (error: EpisodeError) => Promise<unknown>,
  ): Promise<void> {
    const { around } = this;
    if (error instanceof CallRefusedError) return around.leaves(number);
    if (isCancellation(error)) throw error;
    const fatal = fatalMessage(error);
    if (fatal !== null) {
      around.leaves(number);
      return around.fail(fatal);
    }
    if (!(error instanceof ActivityFailure)) throw error;
    const described = describeError(error);
    try {
      await recordError(described);
      account.gaveUp(described.type);
    } catch (failure) {
      if (isCancellation(failure)) throw failure;
      around.leaves(number);
      around.fail(describeError(failure).message);
    }
  }
}
