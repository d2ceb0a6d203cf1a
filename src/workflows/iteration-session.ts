import {
  type ActivityOptions,
  condition,
  getExternalWorkflowHandle,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  EvolveTotals,
  ExecuteScaffoldInput,
  IterationInput,
  IterationReport,
  IterationResult,
  ProposedScaffold,
  ScaffolderTurn,
  ScaffoldNode,
  ScaffoldRun,
} from '../contracts/evolve.js';
import type { Asked, Limits } from '../contracts/run.js';
import type { StepCost } from '../contracts/step-cost.js';
import { closeEvolution } from '../evolution/closing.js';
import { Iteration, NoScaffoldError } from '../evolution/iteration.js';
import {
  type DraftRequest,
  draftName,
  type ExecutionRequest,
  type IterationMemo,
  type IterationPorts,
  noMemo,
  type ProposalRequest,
  rememberingPorts,
  type Scored,
  Slots,
  SuspendedError,
  type TurnRequest,
  type Unscored,
} from '../evolution/iteration-ports.js';
import { ScaffoldCosts } from '../evolution/scaffold-costs.js';
import { addExecution } from '../evolution/totals.js';
import { reachedLimit } from '../runtime/budget.js';
import { reportInterval } from '../runtime/deal.js';
import { Reservations } from '../runtime/reservations.js';
import { addStep, spendingOf } from '../runtime/step-cost.js';
import { iterationMarkdown } from './evolve-markdown.js';
import { costAtLimit, describeError, fatalMessage, givenUp } from './failures.js';
import { evolveReportSignal } from './messages.js';
import { evolution, executionOptions, modelCallOptions } from './proxies.js';

/** So many scaffolds that are given up one after the other are a sign of an outage. */
const MOST_GIVEN_UP = 2;

interface Wanted {
  /** The most that the step may make. */
  calls: number;
  limits: Limits;
  /** Whether it makes one in any case. */
  mustCall: boolean;
}

type StartRun = (
  options: ActivityOptions,
  scope: Pick<ExecuteScaffoldInput, 'run' | 'left'>,
) => Promise<ScaffoldRun>;

/** One execution of an iteration: its steps, its control state, its costs. */
export class IterationSession {
  totals: EvolveTotals;
  fatal: string | null = null;
  private control: Asked;
  private exhausted: string | null = null;
  private handingOver = false;
  private readonly startedAt = Date.now();
  private lastReport = 0;
  private lines: string[] = [];
  private readonly costs: ScaffoldCosts;
  private readonly said: Set<string>;
  private readonly memo: IterationMemo;
  private readonly slots: Slots;
  private readonly ports: IterationPorts;
  private readonly iteration: Iteration;
  private readonly reservations = new Reservations();
  private readonly givenUpInARow = new Set<string>();

  constructor(
    private readonly input: IterationInput,
    private readonly parent: string,
  ) {
    const { plan, state, control, carried, closing } = input;
    this.control = control;
    this.totals = carried?.totals ?? state.totals;
    this.said = new Set(carried?.said);
    this.costs = new ScaffoldCosts(carried?.spent);
    this.memo = carried?.memo ?? noMemo();
    this.slots = new Slots(control.concurrency);
    this.ports = rememberingPorts(
      {
        propose: (request) => this.propose(request),
        turn: (request) => this.turn(request),
        runDraft: (request) => this.runDraft(request),
        execute: (request) => this.execute(request),
        say: (line) => this.say(line),
      },
      this.memo,
      this.slots,
    );
    this.iteration = new Iteration(plan, state, this.ports, closing ? 'Closing' : undefined);
  }

  setControl(control: Asked): void {
    this.control = control;
    this.slots.setSize(control.concurrency);
  }

  /** Null where it was suspended. */
  async run(): Promise<Pick<IterationResult, 'state' | 'tested'>> {
    const { plan, closing } = this.input;
    try {
      const { tested, ...outcome } = closing
        ? await closeEvolution({
            plan,
            state: this.input.state,
            iteration: this.iteration,
            ports: this.ports,
          })
        : { ...(await this.iteration.run()), tested: null };
      const nodes = this.costs.addedTo(outcome.state.nodes);
      const state = { ...outcome.state, nodes, totals: this.totals };
      await evolution.finishIteration({
        plan,
        iteration: this.input.state.next_iteration,
        closing,
        ...outcome,
        state,
        lines: [...this.said],
      });
      return { state, tested };
    } catch (error) {
      if (error instanceof SuspendedError) return { state: null, tested: null };
      const fatal = error instanceof NoScaffoldError ? error.message : fatalMessage(error);
      if (fatal === null) throw error;
      this.fatal ??= fatal;
      return { state: null, tested: null };
    }
  }

  result(done: Pick<IterationResult, 'state' | 'tested'>): IterationResult {
    const { lines, totals, exhausted, fatal } = this;
    setCurrentDetails(this.details());
    return { ...done, lines, totals, exhausted, fatal };
  }

  carriesOn(done: Pick<IterationResult, 'state'>): boolean {
    return done.state === null && this.handingOver && !this.mustEnd();
  }

  carriedInput(): IterationInput {
    const unsaid = new Set(this.lines);
    const said = [...this.said].filter((line) => !unsaid.has(line));
    const { memo, totals, costs } = this;
    const carried = { memo, totals, said, spent: costs.spent };
    return { ...this.input, control: this.control, carried };
  }

  private mustEnd(): boolean {
    this.exhausted ??= this.control.exhausted;
    return this.control.stopping || this.fatal !== null || this.exhausted !== null;
  }

  /** Looked at where a call has to be made: a program may do without, or find its replies in the store. */
  private limitReached(): string | null {
    this.exhausted ??= reachedLimit(this.input.plan.limits, spendingOf(this.totals));
    return this.exhausted;
  }

  /**
   * Waits until a step may begin that makes so many calls at most, and reserves them.
   * @returns what gives them back.
   * @throws SuspendedError where no further step may begin.
   */
  private async begin({ calls, limits, mustCall }: Wanted): Promise<() => void> {
    const isOver = () => this.mustEnd() || (mustCall && this.limitReached() !== null);
    const mayBegin = () =>
      !this.control.paused && this.reservations.hasRoom(calls, limits, spendingOf(this.totals));
    // Whoever waits beside it may have been quicker.
    while (!isOver() && !mayBegin()) await condition(() => isOver() || mayBegin());
    if (!this.handingOver && workflowInfo().continueAsNewSuggested) this.handingOver = true;
    if (isOver() || this.handingOver) throw new SuspendedError();
    return this.reservations.reserve(calls);
  }

  /** One call of the scaffolder; what it costs is paid before its reservation ends. */
  private async ask<Step extends StepCost>(scaffold: string, work: () => Promise<Step>): Promise<Step> {
    const { limits } = this.input.plan;
    const release = await this.begin({ calls: 1, limits, mustCall: true });
    try {
      const step = await work();
      this.pay(scaffold, step);
      return step;
    } finally {
      release();
    }
  }

  private propose(request: ProposalRequest): Promise<ProposedScaffold> {
    const { run } = this.input.plan;
    return this.ask(request.id, () =>
      evolution.proposeScaffold.executeWithOptions(this.askingOptions(request), [{ run, ...request }]),
    );
  }

  private async turn(request: TurnRequest): Promise<ScaffolderTurn> {
    const { run } = this.input.plan;
    const options = this.askingOptions(request, ` · turn ${request.turn + 1}`);
    const taken = await this.ask(request.id, () =>
      evolution.scaffolderTurn.executeWithOptions(options, [{ run, ...request }]),
    );
    this.reportWhenDue();
    return taken;
  }

  private runDraft(request: DraftRequest): Promise<Scored> {
    const { scaffold, example } = request;
    return this.runOnce(scaffold, `draft ${draftName(request)} · ${example}`, (options, scope) =>
      evolution.runDraft.executeWithOptions(options, [{ ...scope, ...request }]),
    );
  }

  private execute(request: ExecutionRequest): Promise<Scored> {
    const { scaffold, type, example } = request;
    return this.runOnce(scaffold, `${type} · ${example}`, (options, scope) =>
      evolution.executeScaffold.executeWithOptions(options, [{ ...scope, ...request }]),
    );
  }

  /** One run of a scaffold's program; answers with its score. */
  private async runOnce(scaffold: string, what: string, start: StartRun): Promise<Scored> {
    const { run, limits, timeout_sec, executor } = this.input.plan;
    // What a program spends at most of tokens and dollars nobody knows before; it is stopped when they are spent.
    const callsAlone = { ...limits, max_tokens: null, max_cost_usd: null };
    const calls = executor?.max_lm_calls ?? 0;
    const release = await this.begin({ calls, limits: callsAlone, mustCall: false });
    const left = this.reservations.left(calls, limits, spendingOf(this.totals));
    try {
      const done = await start(executionOptions(timeout_sec, `${scaffold} · ${what}`), { run, left });
      this.totals = addExecution(this.totals, done);
      this.costs.add(scaffold, done.cost_usd);
      if (executor === null || done.lm_calls > 0) this.givenUpInARow.clear();
      this.reportWhenDue();
      return done.score;
    } catch (error) {
      return this.unscoredBy(scaffold, error);
    } finally {
      release();
    }
  }

  /**
   * What a run comes to that has no score. A program may be to blame for it alone, and is given up alone; where the next
   * one fares no better, what they need is away.
   * @throws whatever else it failed for.
   */
  private unscoredBy(scaffold: string, error: unknown): Unscored {
    const given = givenUp(error);
    if (given === null) throw this.suspendedBy(scaffold, error);
    this.pay(scaffold, given.cost);
    this.givenUpInARow.add(scaffold);
    if (this.givenUpInARow.size < MOST_GIVEN_UP) return { unscored: given.reason };
    this.fatal ??= `${given.reason}; nor has the scaffold before it, so what they need seems to be away. None of this is scored; the same command goes on`;
    throw new SuspendedError();
  }

  /** Options of a call of the scaffolder. */
  private askingOptions({ id, parent, attempt }: ProposalRequest, turn = ''): ActivityOptions {
    const { lm_timeout_sec: timeout_sec, max_attempts } = this.input.plan;
    const what = parent === null ? 'generate' : `evolve ${parent}`;
    return modelCallOptions(
      { model_queue: null, timeout_sec, max_attempts },
      `${id} · ${what} · try ${attempt + 1}${turn}`,
    );
  }

  private pay(scaffold: string, step: StepCost): void {
    this.totals = addStep(this.totals, step);
    this.costs.add(scaffold, step.cost_usd);
  }

  /** A step that met a limit is not done; what it has paid is. */
  private suspendedBy(scaffold: string, error: unknown): unknown {
    const cost = costAtLimit(error);
    if (cost === null) return error;
    this.pay(scaffold, cost);
    if (this.limitReached() === null) this.exhausted = describeError(error).message;
    return new SuspendedError();
  }

  private say(line: string): void {
    // An iteration that goes on in another execution is gone through again.
    if (this.said.has(line)) return;
    this.said.add(line);
    this.lines.push(line);
    this.reportWhenDue();
  }

  private touchedNodes(): ScaffoldNode[] {
    return this.costs.addedTo(this.iteration.touchedNodes());
  }

  private details(): string {
    return iterationMarkdown(this.input.state.next_iteration, this.touchedNodes(), this.totals);
  }

  private reportWhenDue(): void {
    const now = Date.now();
    if (now - this.lastReport >= reportInterval(now - this.startedAt)) this.report();
  }

  private report(): void {
    this.lastReport = Date.now();
    const nodes = this.touchedNodes();
    setCurrentDetails(this.details());
    const report: IterationReport = { lines: this.lines, nodes, totals: this.totals };
    this.lines = [];
    getExternalWorkflowHandle(this.parent)
      .signal(evolveReportSignal, report)
      .catch(() => undefined);
  }
}
