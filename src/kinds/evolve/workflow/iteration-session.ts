import type { ReceivedRequests } from '../../../contracts/experiment.js';
import { spendingFacts } from '../../../facts/frame.js';
import { keptOf } from '../../../runtime/step-cost.js';
import { modelCallOptions, timedOptions } from '../../../workflows/activity-options.js';
import { isGone, ownExecution } from '../../../workflows/children.js';
import { fatalMessage } from '../../../workflows/failures.js';
import { markdown } from '../../../workflows/markdown.js';
import {
  type ActivityOptions,
  getExternalWorkflowHandle,
  setCurrentDetails,
} from '../../../workflows/sdk.js';
import type {
  ExecuteScaffoldInput,
  IterationInput,
  IterationReport,
  IterationResult,
  ProposedScaffold,
  ScaffolderTurn,
  ScaffoldNode,
  ScaffoldRun,
} from '../contracts.js';
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
} from '../evolution/iteration-ports.js';
import { beginningLine } from '../evolution/progress-lines.js';
import { iterationFacts } from '../facts.js';
import { evolution } from './activities.js';
import { IterationSpending } from './iteration-spending.js';
import { evolveReportSignal } from './messages.js';

type StartRun = (
  options: ActivityOptions,
  scope: Pick<ExecuteScaffoldInput, 'run' | 'left'>,
) => Promise<ScaffoldRun>;

/** Returns the milliseconds between two reports: a second at first, then more, so that histories stay small. */
function reportInterval(elapsedMilliseconds: number): number {
  return Math.min(Math.max(elapsedMilliseconds / 60, 1000), 300_000);
}

/** Reports of a running iteration to its parent workflow: progress lines and results so far. */
class IterationReports {
  /** Lines that were not reported yet. */
  lines: string[] = [];
  /** Times of the lines, by line. */
  private readonly said: Map<string, number>;
  private readonly startedAt = Date.now();
  private lastReport = 0;

  constructor(
    private readonly parent: string,
    /** Returns the results so far; called for each report. */
    private readonly status: () => Pick<IterationReport, 'nodes' | 'totals'>,
    /** Called where the experiment has ended without this iteration, as after a reset. */
    private readonly left: () => void,
    { said = [], said_at = [] }: { said?: readonly string[]; said_at?: readonly number[] } = {},
  ) {
    this.said = new Map(said.map((line, index) => [line, said_at[index] ?? this.startedAt]));
  }

  say(line: string): void {
    if (this.announce(line)) this.reportWhenDue();
  }

  /** Adds a line to the next report, whenever that is due. @returns true if it is a new line. */
  announce(line: string): boolean {
    // An iteration that continues in another execution is run again from its beginning.
    if (this.said.has(line)) return false;
    this.said.set(line, Date.now());
    this.lines.push(line);
    return true;
  }

  /** Keeps a line for the log that the parent workflow has reported already. */
  log(line: string): void {
    this.said.set(line, Date.now());
  }

  /** Returns all lines and their times. */
  all(): { lines: string[]; line_times: number[] } {
    return { lines: [...this.said.keys()], line_times: [...this.said.values()] };
  }

  /** Returns the lines that were reported, so that another execution does not report them again. */
  reported(): { said: string[]; said_at: number[] } {
    const unsaid = new Set(this.lines);
    const reported = [...this.said].filter(([line]) => !unsaid.has(line));
    return { said: reported.map(([line]) => line), said_at: reported.map(([, at]) => at) };
  }

  reportWhenDue(): void {
    const now = Date.now();
    if (now - this.lastReport < reportInterval(now - this.startedAt)) return;
    this.lastReport = now;
    const { lines } = this;
    this.lines = [];
    getExternalWorkflowHandle(this.parent)
      .signal(evolveReportSignal, { from: ownExecution(), lines, ...this.status() })
      .catch((error: unknown) => {
        if (isGone(error)) this.left();
      });
  }
}

/** One execution of an iteration, with its steps as activities. */
export class IterationSession {
  private readonly spending: IterationSpending;
  private readonly notices: IterationReports;
  private readonly memo: IterationMemo;
  private readonly slots: Slots;
  private readonly ports: IterationPorts;
  private readonly iteration: Iteration;

  constructor(
    private readonly input: IterationInput,
    parent: string,
  ) {
    const { plan, state, control, carried, closing } = input;
    this.spending = new IterationSpending(plan, control, carried?.totals ?? state.totals, carried?.spent);
    this.notices = new IterationReports(
      parent,
      () => this.status(),
      () => this.setControl({ ...this.spending.control, paused: false, stopping: true }),
      carried,
    );
    this.memo = carried?.memo ?? noMemo();
    this.slots = new Slots(control.concurrency);
    this.ports = rememberingPorts(
      {
        propose: (request) => this.propose(request),
        turn: (request) => this.turn(request),
        runDraft: (request) => this.runDraft(request),
        execute: (request) => this.execute(request),
        say: (line) => this.notices.say(line),
        announce: (line) => this.notices.announce(line),
      },
      this.memo,
      this.slots,
    );
    if (carried === undefined) this.notices.log(beginningLine(plan, state, closing));
    this.iteration = new Iteration(plan, state, this.ports, closing ? 'Closing' : undefined);
  }

  setControl(control: ReceivedRequests): void {
    this.spending.onControl(control);
    this.slots.setSize(control.concurrency);
  }

  /** Returns no state where it was suspended or failed. */
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
      const nodes = this.spending.addedTo(outcome.state.nodes);
      const state = { ...outcome.state, nodes, totals: this.spending.totals };
      await evolution.finishIteration({
        plan,
        iteration: this.input.state.next_iteration,
        closing,
        ...outcome,
        // Unrecorded requests are no part of an iteration's result: only the experiment counts them.
        state: { ...state, totals: keptOf(state.totals) },
        ...this.notices.all(),
      });
      return { state, tested };
    } catch (error) {
      if (error instanceof SuspendedError) return { state: null, tested: null };
      const fatal = error instanceof NoScaffoldError ? error.message : fatalMessage(error);
      if (fatal === null) throw error;
      this.spending.fatal ??= fatal;
      return { state: null, tested: null };
    }
  }

  result(done: Pick<IterationResult, 'state' | 'tested'>): IterationResult {
    const { totals, exhausted, fatal } = this.spending;
    const nodes = this.touchedNodes();
    this.show(nodes);
    const unfinished = done.state === null ? { nodes } : {};
    return { ...done, ...unfinished, lines: this.notices.lines, totals, exhausted, fatal };
  }

  isContinuing(done: Pick<IterationResult, 'state'>): boolean {
    return done.state === null && this.spending.handingOver && !this.spending.mustEnd();
  }

  carriedInput(): IterationInput {
    const { control, totals, spent } = this.spending;
    return {
      ...this.input,
      control,
      carried: { memo: this.memo, totals, ...this.notices.reported(), spent },
    };
  }

  private propose(request: ProposalRequest): Promise<ProposedScaffold> {
    const { run } = this.input.plan;
    return this.spending.call(request.id, (before) =>
      evolution.proposeScaffold.executeWithOptions(this.askingOptions(request), [
        { run, ...request, ...before },
      ]),
    );
  }

  private async turn(request: TurnRequest): Promise<ScaffolderTurn> {
    const { run } = this.input.plan;
    const options = this.askingOptions(request, ` · turn ${request.turn + 1}`);
    const taken = await this.spending.call(request.id, (before) =>
      evolution.scaffolderTurn.executeWithOptions(options, [{ run, ...request, ...before }]),
    );
    this.notices.reportWhenDue();
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

  /** Runs a scaffold's program once. Returns its score. */
  private async runOnce(scaffold: string, what: string, start: StartRun): Promise<Scored> {
    const { run, timeout_sec } = this.input.plan;
    const options = timedOptions(timeout_sec, `${scaffold} · ${what}`);
    const done = await this.spending.run(scaffold, (left) => start(options, { run, left }));
    if ('unscored' in done) return done;
    this.notices.reportWhenDue();
    return done.score;
  }

  private askingOptions({ id, parent, attempt }: ProposalRequest, turn = ''): ActivityOptions {
    const { lm_timeout_sec: timeout_sec, max_attempts } = this.input.plan;
    const what = parent === null ? 'generate' : `evolve ${parent}`;
    return modelCallOptions({ timeout_sec, max_attempts }, `${id} · ${what} · try ${attempt + 1}${turn}`);
  }

  private touchedNodes(): ScaffoldNode[] {
    return this.spending.addedTo(this.iteration.touchedNodes());
  }

  /** Returns the results so far, and shows them in the details. */
  private status(): Pick<IterationReport, 'nodes' | 'totals'> {
    const nodes = this.touchedNodes();
    this.show(nodes);
    return { nodes, totals: this.spending.totals };
  }

  private show(nodes: readonly ScaffoldNode[]): void {
    const { closing, state } = this.input;
    const title = closing ? 'Closing' : `Iteration ${state.next_iteration}`;
    const { totals } = this.spending;
    setCurrentDetails(markdown(title, [...iterationFacts(nodes, totals), ...spendingFacts(totals)]));
  }
}
