import type { EpisodeError } from '../../../contracts/results.js';
import type { AskedBefore, StepCost } from '../../../contracts/step-cost.js';
import { ChildBudget } from '../../../runtime/child-budget.js';
import { addStep, newlyPaid, spendingOf } from '../../../runtime/step-cost.js';
import { modelCallOptions, timedOptions } from '../../../workflows/activity-options.js';
import { isGone, ownExecution } from '../../../workflows/children.js';
import { describeError, fatalMessage, isFaultyReply } from '../../../workflows/failures.js';
import { markdown } from '../../../workflows/markdown.js';
import { requestUntilAnswered } from '../../../workflows/request-until-answered.js';
import {
  type ActivityOptions,
  ApplicationFailure,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  workflowInfo,
} from '../../../workflows/sdk.js';
import type {
  RolloutControl,
  RolloutInput,
  RolloutOutcome,
  RolloutPlace,
  RolloutResult,
  RolloutTotals,
  ToolTurn,
  UserTurn,
} from '../contracts.js';
import { rolloutFacts } from '../facts.js';
import type { RolloutProgress } from '../results.js';
import { firstPlace, Rollout } from '../rollouts/rollout.js';
import { noRolloutTotals } from '../rollouts/totals.js';
import { bundles } from './activities.js';
import { rolloutReportSignal } from './messages.js';

/** Number of calls that a rollout requests: few, to leave others their share, but enough that it seldom reports. */
const CALLS_REQUESTED = 6;
/** Time after which a rollout that waits for a grant reports again: its experiment may have lost the report. */
const REPORTED_AGAIN = '5 minutes';

/** Returns the number of requests that limits count, without those that an earlier execution has paid for. */
const requestsOf = (cost: StepCost) => spendingOf(newlyPaid(cost)).lm_calls;

/** Error that suspends a rollout, because no further step may begin. It can continue from its place later. */
class StandStillError extends Error {}

/** One execution of a rollout: its steps, its control state, its costs, and the person in the user's place. */
export class RolloutSession {
  private control: RolloutControl;
  private totals: RolloutTotals;
  private readonly startedAt: number;
  private rollout: Rollout | null = null;
  private said: string | null = null;
  private waiting = false;
  private readonly budget: ChildBudget;

  /** @param cutOff requests for each unanswered call that may have been cut off with earlier workers */
  constructor(
    private readonly input: RolloutInput,
    private cutOff = 0,
  ) {
    this.control = input.control;
    this.totals = input.carried?.totals ?? noRolloutTotals();
    this.startedAt = input.carried?.started_at ?? Date.now();
    this.budget = new ChildBudget(input.carried?.budget);
  }

  setControl(control: RolloutControl): void {
    this.control = control;
  }

  onGranted(calls: number): void {
    this.budget.onGranted(calls);
  }

  /** @throws ApplicationFailure if no message is awaited, or it is invalid. */
  assertWaiting(text: unknown): void {
    if (!this.waiting || this.said !== null) {
      throw ApplicationFailure.nonRetryable('it is not the turn of the user: nothing is waited for');
    }
    if (typeof text !== 'string') throw ApplicationFailure.nonRetryable('a message of the user is a text');
    if (text.trim() === '') throw ApplicationFailure.nonRetryable('a message of the user cannot be empty');
  }

  reply(text: string): void {
    this.said = text;
  }

  progress(): RolloutProgress {
    const { row } = this.input.task;
    const { rollout } = this.input;
    return {
      row,
      rollout,
      place: this.rollout?.place ?? null,
      totals: this.totals,
      waiting: this.waiting && this.said === null,
    };
  }

  /** Runs the rollout; null if another execution has to continue it. */
  async run(): Promise<RolloutResult | null> {
    try {
      const outcome = await this.converse();
      if (outcome === null) return null;
      return await this.end(outcome, null);
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (error instanceof StandStillError) return this.result({ status: 'suspended' });
      const fatal = fatalMessage(error);
      if (fatal !== null) return this.result({ status: 'suspended', fatal });
      return this.end(null, describeError(error));
    }
  }

  carriedInput(): RolloutInput {
    const place = this.rollout?.place;
    if (place === undefined) throw new Error('a rollout that has not begun has nothing to carry');
    const { control, totals, startedAt, budget } = this;
    const carried = { place, totals, started_at: startedAt, budget: budget.state() };
    return { ...this.input, control, carried };
  }

  private async converse(): Promise<RolloutOutcome | null> {
    const { task, carried } = this.input;
    const place = carried?.place ?? firstPlace(await bundles.beginRollout(this.name()));
    const ports = {
      agent: (at: RolloutPlace) => this.agentTurn(at),
      tool: (at: RolloutPlace, index: number) => this.toolCall(at, index),
      user: (at: RolloutPlace) => this.userTurn(at),
    };
    this.rollout = new Rollout(task.rules, ports, place);
    this.show();
    return this.rollout.run(() => workflowInfo().continueAsNewSuggested);
  }

  private async end(outcome: RolloutOutcome | null, error: EpisodeError | null): Promise<RolloutResult> {
    try {
      const ended = await bundles.endRollout({
        ...this.name(),
        outcome,
        error,
        totals: this.totals,
        started_at: this.startedAt,
        ended_at: Date.now(),
      });
      return this.result({ ...ended, ending: outcome?.ending ?? null });
    } catch (failure) {
      if (isCancellation(failure)) throw failure;
      return this.result({ status: 'suspended', fatal: describeError(failure).message });
    }
  }

  private result(fields: Pick<RolloutResult, 'status'> & Partial<RolloutResult>): RolloutResult {
    this.show(fields);
    return { ending: null, score: null, error: null, fatal: null, ...fields, totals: this.totals };
  }

  private async agentTurn(place: RolloutPlace) {
    const options = this.callOptions('agent', `agent · reply ${place.agent_turns + 1}`);
    const turn = await this.request((before) =>
      bundles.agentTurn.executeWithOptions(options, [{ ...this.name(), place, ...before }]),
    );
    const { agent_turns, tool_calls, tool_calls_failed } = this.totals;
    const { tool_calls_refused = 0 } = turn;
    this.totals = {
      ...this.totals,
      agent_turns: agent_turns + 1,
      tool_calls: tool_calls + tool_calls_refused,
      tool_calls_failed: tool_calls_failed + tool_calls_refused,
    };
    this.show();
    return turn;
  }

  private request<Turn extends StepCost>(send: (before: { before?: AskedBefore }) => Promise<Turn>) {
    return requestUntilAnswered(
      {
        isLimited: this.input.limited,
        cutOff: this.cutOff,
        request: () => this.mayCall(),
        answered: (turn) => {
          // Its other calls had not been made when the worker was lost.
          if (turn.unrecorded !== undefined) this.cutOff = 0;
          this.totals = addStep(this.totals, turn);
          this.budget.ended(requestsOf(turn));
        },
        failed: (cost, error) => {
          this.budget.ended(requestsOf(cost));
          // An unusable reply ends the rollout, but it was paid for.
          const agent_turns = this.totals.agent_turns + Number(isFaultyReply(error));
          this.totals = { ...addStep(this.totals, cost), agent_turns };
        },
      },
      send,
    );
  }

  private async toolCall(place: RolloutPlace, index: number): Promise<ToolTurn> {
    const { plan, task } = this.input;
    const options = timedOptions(
      plan.tool_timeout_sec,
      `tool call ${index + 1} of reply ${place.agent_turns}`,
    );
    const turn = await bundles.toolCall.executeWithOptions(options, [
      { ...this.name(), place, index, checks_goal: task.rules.stops_at_goal },
    ]);
    const { tool_calls, tool_calls_failed } = this.totals;
    this.totals = {
      ...this.totals,
      tool_calls: tool_calls + 1,
      tool_calls_failed: tool_calls_failed + Number(!turn.ok),
    };
    return turn;
  }

  private async userTurn(place: RolloutPlace): Promise<UserTurn> {
    const options = this.callOptions('user', `user · message ${place.user_turns + 1}`);
    const turn = this.input.plan.human
      ? await this.personsTurn(place, options)
      : await this.request((before) =>
          bundles.userTurn.executeWithOptions(options, [{ ...this.name(), place, said: null, ...before }]),
        );
    this.show();
    return turn;
  }

  private async personsTurn(place: RolloutPlace, options: ActivityOptions): Promise<UserTurn> {
    await this.mayProceed();
    const said = await this.heard();
    const turn = await bundles.userTurn.executeWithOptions(options, [{ ...this.name(), place, said }]);
    this.said = null;
    return turn;
  }

  /** Waits for the person's message, as long as the run may continue. */
  private async heard(): Promise<string> {
    // Unused calls are returned: other rollouts may wait for them.
    this.budget.return();
    if (this.input.limited) this.report(0);
    this.waiting = true;
    this.show();
    await condition(() => this.said !== null || this.control.exhausted);
    this.waiting = false;
    if (this.said === null) throw new StandStillError('a limit is reached');
    return this.said;
  }

  private async mayProceed(): Promise<void> {
    if (this.control.paused) await condition(() => !this.control.paused || this.control.exhausted);
    if (this.control.exhausted) throw new StandStillError('a limit is reached');
  }

  /** Begins a granted call, and waits for a further grant if none is left. */
  private async mayCall(): Promise<void> {
    await this.mayProceed();
    if (!this.input.limited) return;
    const { budget } = this;
    const mayGoOn = () => budget.available() > 0 || this.control.exhausted;
    while (!mayGoOn()) {
      this.report(CALLS_REQUESTED);
      await condition(mayGoOn, REPORTED_AGAIN);
    }
    await this.mayProceed();
    budget.begin();
  }

  /** @param requested number of calls beyond those granted. */
  private report(requested: number): void {
    const { workflowId, parent } = workflowInfo();
    if (parent === undefined) throw new Error('a rollout has a run');
    const budget = this.budget.report(spendingOf(newlyPaid(this.totals)), requested);
    getExternalWorkflowHandle(parent.workflowId)
      .signal(rolloutReportSignal, { from: ownExecution(), rollout: workflowId, budget })
      .catch((error: unknown) => {
        if (isGone(error)) this.control = { paused: false, exhausted: true };
      });
  }

  private callOptions(who: 'agent' | 'user', summary: string): ActivityOptions {
    return modelCallOptions(this.input.plan[who], summary);
  }

  private name() {
    const { plan, task, rollout } = this.input;
    return { run: plan.run, row: task.row, rollout };
  }

  private show(ended: Partial<RolloutResult> = {}): void {
    const { row, rollout } = this.progress();
    setCurrentDetails(markdown(`${row}, rollout ${rollout + 1}`, rolloutFacts(this.progress(), ended)));
  }
}
