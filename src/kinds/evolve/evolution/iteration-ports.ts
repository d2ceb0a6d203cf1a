import type {
  EvolvePlan,
  ExecuteScaffoldInput,
  ProposedScaffold,
  ProposeScaffoldInput,
  RunDraftInput,
  ScaffolderTurn,
  ScaffolderTurnInput,
} from '../contracts.js';
import { settleAll } from './settle-all.js';

/** Part of a plan that an iteration needs. */
export type IterationPlan = Pick<
  EvolvePlan,
  | 'num_iterations'
  | 'scaffolds_per_iter'
  | 'initial_scaffolds'
  | 'num_validation_examples'
  | 'selection'
  | 'seed'
  | 'scaffolder'
  | 'train'
  | 'valid'
  | 'test'
>;

export type ProposalRequest = Omit<ProposeScaffoldInput, 'run'>;
export type TurnRequest = Omit<ScaffolderTurnInput, 'run'>;
export type DraftRequest = Omit<RunDraftInput, 'run' | 'left'>;
export type ExecutionRequest = Omit<ExecuteScaffoldInput, 'run' | 'left'>;

/** Score of a program on an example, or why there is none, for reasons that are not its own. */
export type Scored = number | Unscored;

export interface Unscored {
  unscored: string;
}

/**
 * Runs a program on examples concurrently. Returns scores by example; or, where one is missing, the reason of the first
 * such example.
 */
export async function scoresOn(
  examples: readonly string[],
  run: (example: string) => Promise<Scored>,
): Promise<{ scores: Record<string, number> } | Unscored> {
  const scored = await settleAll(examples.map(run));
  const unscored = scored.find((one) => typeof one !== 'number');
  if (unscored !== undefined) return unscored;
  return { scores: Object.fromEntries(examples.map((example, index) => [example, scored[index] as number])) };
}

/** Everything that an iteration needs from outside; a workflow provides it with activities. */
export interface IterationPorts {
  /** Requests a scaffold. Rejects with {@link SuspendedError} where no step may begin, or with a final failure. */
  propose(request: ProposalRequest): Promise<ProposedScaffold>;
  /** Takes one turn of a scaffolder that tries its drafts before it submits. */
  turn(request: TurnRequest): Promise<ScaffolderTurn>;
  /** Scores the draft of a turn on a training example. */
  runDraft(request: DraftRequest): Promise<Scored>;
  /** Scores the scaffold on the example. */
  execute(request: ExecutionRequest): Promise<Scored>;
  /** Reports a line to people, such as `[Iteration 2] Evaluating scaffold 2-0: validation score 0.75`. */
  say(line: string): void;
  /** Reports a line on a step that begins. It can wait for the next line of `say`. */
  announce(line: string): void;
}

/** Names the draft of a turn among those of its scaffold. */
export function draftName({ attempt, turn }: Pick<RunDraftInput, 'attempt' | 'turn'>): string {
  return `${attempt}.${turn}`;
}

/**
 * Error where no further step may begin: a limit is reached, the experiment is stopped, or it continues in another
 * execution.
 */
export class SuspendedError extends Error {
  override readonly name = 'SuspendedError';
}

/**
 * Finished steps of an iteration by their names; with it, the iteration can be run again without repeating them. It is
 * passed from one execution to the next, so of a run it keeps only the score: about 35 bytes.
 */
export interface IterationMemo {
  proposals: Record<string, ProposedScaffold>;
  turns: Record<string, ScaffolderTurn>;
  executions: Record<string, Scored>;
}

export function noMemo(): IterationMemo {
  return { proposals: {}, turns: {}, executions: {} };
}

/**
 * Wraps ports so that nothing is done twice, and no more than `slots` things at once. A finished step is answered from
 * the memo at once, so an iteration that is run again makes the same decisions.
 */
export function rememberingPorts(ports: IterationPorts, memo: IterationMemo, slots: Slots): IterationPorts {
  const once = async <Value>(
    done: Record<string, Value>,
    name: string,
    work: () => Promise<Value>,
  ): Promise<Value> => {
    const known = done[name];
    if (known !== undefined) return known;
    const value = await slots.run(work);
    done[name] = value;
    return value;
  };
  return {
    propose: (request) =>
      once(memo.proposals, `${request.id}/${request.attempt}`, () => ports.propose(request)),
    turn: (request) =>
      once(memo.turns, `${request.id}/${request.attempt}.${request.turn}`, () => ports.turn(request)),
    runDraft: (request) =>
      once(memo.executions, `${request.scaffold}/${draftName(request)}/${request.example}`, () =>
        ports.runDraft(request),
      ),
    execute: (request) =>
      once(memo.executions, `${request.scaffold}/${request.type}/${request.example}`, () =>
        ports.execute(request),
      ),
    say: (line) => ports.say(line),
    announce: (line) => ports.announce(line),
  };
}

/** Concurrency limit; work beyond it waits in order. The size may change at any time. */
export class Slots {
  private active = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private size: number) {}

  setSize(size: number): void {
    this.size = size;
    this.admit();
  }

  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      this.admit();
    });
    try {
      return await work();
    } finally {
      this.active -= 1;
      this.admit();
    }
  }

  private admit(): void {
    while (this.active < this.size) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.active += 1;
      next();
    }
  }
}
