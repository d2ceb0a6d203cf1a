import { describe, expect, test } from 'vitest';
import type { EvolveState, ScaffolderTurn, ScaffoldNode } from '../../../../src/kinds/evolve/contracts.js';
import {
  Iteration,
  type IterationOutcome,
  NoScaffoldError,
} from '../../../../src/kinds/evolve/evolution/iteration.js';
import {
  type DraftRequest,
  type ExecutionRequest,
  type IterationMemo,
  type IterationPlan,
  type IterationPorts,
  noMemo,
  type ProposalRequest,
  rememberingPorts,
  type Scored,
  Slots,
  type TurnRequest,
} from '../../../../src/kinds/evolve/evolution/iteration-ports.js';
import { bestScaffold } from '../../../../src/kinds/evolve/evolution/lineage.js';
import { freshState } from '../../../../src/kinds/evolve/evolution/population.js';
import type { SelectionSettings } from '../../../../src/kinds/evolve/evolution/selection.js';
import { createRandom } from '../../../../src/statistics/random.js';
import { throughJson } from './support.js';

const SELECTIONS: SelectionSettings[] = [
  { kind: 'top_k' },
  { kind: 'islands', islands: 2, migration_interval: 2 },
  { kind: 'pareto' },
];

const ids = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const PLAN: IterationPlan = {
  num_iterations: 4,
  scaffolds_per_iter: 2,
  initial_scaffolds: 4,
  num_validation_examples: 3,
  selection: { kind: 'top_k' },
  seed: 7,
  scaffolder: { num_examples: 2, feedback_examples: 1 },
  train: ids('t', 6),
  valid: ids('v', 12),
  test: [],
};

const COST = { lm_calls: 1, usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: 0 };

const submitted = (fingerprint: string) => ({
  kind: 'submitted' as const,
  fingerprint,
  traits: { characters: 100, model_calls: 0 },
  warnings: [],
});

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

/** What a world answers; everything takes a turn of the event loop, in an order of its own. */
interface World {
  score?: (request: ExecutionRequest) => Scored;
  draft?: (request: DraftRequest) => Scored;
  /** A fault, or the code that a proposal consists of. */
  proposal?: (request: ProposalRequest) => { fault: string } | { code: string };
  /** Of a scaffolder that works in turns; it runs drafts for ever where nothing is said. */
  turn?: (request: TurnRequest) => DistributiveOmit<ScaffolderTurn, keyof typeof COST>;
  /** Seeds the order in which steps end. */
  order?: number;
}

const scoreOf = ({ scaffold, example }: ExecutionRequest) =>
  Math.round(createRandom(`${scaffold}:${example}`)() * 4) / 4;

class Ports implements IterationPorts {
  readonly proposals: ProposalRequest[] = [];
  readonly turns: TurnRequest[] = [];
  readonly drafts: DraftRequest[] = [];
  readonly executions: ExecutionRequest[] = [];
  readonly lines: string[] = [];
  private readonly random: () => number;

  constructor(private readonly world: World) {
    this.random = createRandom(`order:${world.order ?? 0}`);
  }

  private async wait(): Promise<void> {
    for (let left = Math.floor(this.random() * 8); left > 0; left--) await Promise.resolve();
  }

  async propose(request: ProposalRequest) {
    this.proposals.push(request);
    await this.wait();
    const answer = this.world.proposal?.(request) ?? { code: request.id };
    if ('fault' in answer) return { ok: false as const, fault: answer.fault, ...COST };
    const traits = { characters: 100 * (1 + answer.code.length), model_calls: 0 };
    return { ok: true as const, fingerprint: answer.code, traits, warnings: [], ...COST };
  }

  async execute(request: ExecutionRequest): Promise<Scored> {
    this.executions.push(request);
    await this.wait();
    return (this.world.score ?? scoreOf)(request);
  }

  async turn(request: TurnRequest): Promise<ScaffolderTurn> {
    this.turns.push(request);
    await this.wait();
    return { ...COST, ...(this.world.turn?.(request) ?? { kind: 'draft' }) };
  }

  async runDraft(request: DraftRequest): Promise<Scored> {
    this.drafts.push(request);
    await this.wait();
    return this.world.draft?.(request) ?? 0.5;
  }

  say(line: string): void {
    this.lines.push(line);
  }

  announce(line: string): void {
    this.lines.push(line);
  }
}

const START: EvolveState = freshState();

interface Went {
  state: EvolveState;
  outcomes: IterationOutcome[];
  ports: Ports;
}

/** Every iteration of a plan; what goes from one to the next goes through JSON. */
async function evolution(plan: IterationPlan, world: World = {}): Promise<Went> {
  const ports = new Ports(world);
  let state = START;
  const outcomes: IterationOutcome[] = [];
  while (state.next_iteration <= plan.num_iterations) {
    const outcome = await new Iteration(plan, throughJson(state), ports).run();
    outcomes.push(outcome);
    state = outcome.state;
  }
  return { state, outcomes, ports };
}

const nodeOf = ({ nodes }: EvolveState, id: string) => nodes.find((node) => node.id === id) as ScaffoldNode;

describe('an evolution', () => {
  test('generates first, then validates, runs the best on training examples and evolves them', async () => {
    const { state, outcomes, ports } = await evolution({ ...PLAN, num_iterations: 1 });
    expect(outcomes[0]).toMatchObject({ parents: [], validated: [], trained: [] });
    expect(outcomes[0]?.state.newcomers).toEqual(['0', '1', '2', '3']);
    const [, first] = outcomes as [IterationOutcome, IterationOutcome];
    expect(first.validated.map(({ scaffold }) => scaffold)).toEqual(['0', '1', '2', '3']);
    const means = first.validated.map(({ scaffold, examples }) => ({
      scaffold,
      mean:
        examples.reduce((sum, example) => sum + scoreOf({ scaffold, example } as ExecutionRequest), 0) /
        examples.length,
    }));
    const best = [...means].sort((left, right) => right.mean - left.mean).slice(0, 2);
    expect(first.parents).toEqual(best.map(({ scaffold }) => scaffold));
    expect(state.newcomers).toEqual(first.parents.map((id) => `${id}-0`).sort());
    const evolved = ports.proposals.filter(({ iteration }) => iteration === 1);
    // One example for the score, and one more for the feedback.
    for (const { parent, runs, examples } of evolved) {
      expect(runs.map(({ scaffold, type }) => ({ scaffold, type }))).toEqual(
        Array(2).fill({ scaffold: parent, type: 'train' }),
      );
      expect(examples).toEqual([]);
    }
  });

  test.each(SELECTIONS)(
    '$kind: every scaffold of an iteration is validated on the same examples',
    async (selection) => {
      const { outcomes } = await evolution({ ...PLAN, selection });
      for (const { validated } of outcomes.slice(1)) {
        expect(new Set(validated.map(({ examples }) => examples.join())).size).toBe(1);
        expect(validated[0]?.examples).toHaveLength(3);
      }
      const subsets = outcomes.slice(1).map(({ validated }) => validated[0]?.examples.join());
      expect(new Set(subsets).size).toBeGreaterThan(1);
    },
  );

  test.each(SELECTIONS)(
    '$kind: what it comes to does not depend on which step ends first',
    async (selection) => {
      const plan = { ...PLAN, selection };
      const [one, other] = [await evolution(plan, { order: 1 }), await evolution(plan, { order: 2 })];
      expect(other.outcomes).toEqual(one.outcomes);
      expect(other.ports.lines).not.toEqual(one.ports.lines);
      expect([...other.ports.lines].sort()).toEqual([...one.ports.lines].sort());
    },
  );

  test('no proposal hears of validation examples or scores', async () => {
    const { ports } = await evolution(PLAN);
    const text = JSON.stringify(ports.proposals);
    for (const id of PLAN.valid) expect(text).not.toContain(`"${id}"`);
    expect(text).not.toContain('score');
  });

  test('a scaffold that no try gives is skipped, and its id stays taken', async () => {
    const proposal = ({ id, attempt }: ProposalRequest) =>
      id === '1' ? { fault: `fault ${attempt}` } : { code: id };
    const { state, ports } = await evolution({ ...PLAN, num_iterations: 1 }, { proposal });
    expect(nodeOf(state, '1')).toMatchObject({ status: 'failed', error: 'fault 2', valid: [] });
    const tries = ports.proposals.filter(({ id }) => id === '1');
    expect(tries.map(({ faults }) => faults)).toEqual([[], ['fault 0'], ['fault 0', 'fault 1']]);
    expect(ports.executions.some(({ scaffold }) => scaffold === '1')).toBe(false);
    expect(ports.lines).toContain('[Iteration 0] Warning: scaffold 1 is skipped after 3 tries: fault 2');
  });

  test('one that has nothing to begin with ends there, and says why', async () => {
    const proposal = ({ id, attempt }: ProposalRequest) => ({ fault: `refused ${id}, try ${attempt}` });
    const begun = evolution(PLAN, { proposal });
    await expect(begun).rejects.toThrow(NoScaffoldError);
    await expect(begun).rejects.toThrow(
      'scaffolder: no try gave a usable scaffold, so there is nothing to evolve. Scaffold 0: refused 0, try 2. ',
    );
  });

  test('a scaffold that cannot be evolved gives way to the next best', async () => {
    const calm = await evolution({ ...PLAN, num_iterations: 1 });
    const [best, second] = (calm.outcomes[1] as IterationOutcome).parents;
    const proposal = ({ id, parent }: ProposalRequest) =>
      parent === best ? { fault: 'no program' } : { code: id };
    const { state, outcomes } = await evolution({ ...PLAN, num_iterations: 1 }, { proposal });
    const { parents } = outcomes[1] as IterationOutcome;
    expect(parents).toHaveLength(2);
    expect(parents[0]).toBe(second);
    expect(parents).not.toContain(best);
    expect(nodeOf(state, `${best}-0`).status).toBe('failed');
    expect(state.newcomers).toEqual(parents.map((id) => `${id}-0`).sort());
  });

  test('those of a round that say the same try again, in the order of their ids, whoever was quicker', async () => {
    // Everybody begins with the same program; told so, each has one of its own.
    const proposal = ({ id, attempt }: ProposalRequest) => ({ code: attempt === 0 ? 'same' : id });
    const [one, other] = [
      await evolution({ ...PLAN, num_iterations: 0 }, { proposal, order: 1 }),
      await evolution({ ...PLAN, num_iterations: 0 }, { proposal, order: 2 }),
    ];
    expect(one.state).toEqual(other.state);
    expect(one.state.newcomers).toEqual(['0', '1', '2', '3']);
    expect(one.state.nodes.map(({ fingerprint }) => fingerprint)).toEqual(['same', '1', '2', '3']);
    const again = one.ports.proposals.filter(({ attempt }) => attempt === 1);
    expect(again.map(({ id }) => id).sort()).toEqual(['1', '2', '3']);
    for (const { faults, known } of again) {
      expect(faults).toEqual([
        'The program is the same as one that there is already (scaffold 0). Change what it does.',
      ]);
      expect(known).toEqual({ 0: 'same' });
    }
  });

  test('tries of a twin that come to nothing count together with those that failed before', async () => {
    const proposal = ({ id, attempt }: ProposalRequest) =>
      id === '1' && attempt === 0 ? { fault: 'no program' } : { code: 'same' };
    const { state, ports } = await evolution(
      { ...PLAN, initial_scaffolds: 2, num_iterations: 0 },
      { proposal },
    );
    expect(ports.proposals.filter(({ id }) => id === '1').map(({ attempt }) => attempt)).toEqual([0, 1, 2]);
    expect(nodeOf(state, '1')).toMatchObject({ status: 'duplicate', duplicate_of: '0' });
    expect(state.newcomers).toEqual(['0']);
  });

  test('one that says the same in every try takes no part, and the next best is evolved in its place', async () => {
    const calm = await evolution({ ...PLAN, num_iterations: 1 });
    const [best = ''] = (calm.outcomes[1] as IterationOutcome).parents;
    const proposal = ({ id, parent }: ProposalRequest) => ({ code: parent === best ? '0' : id });
    const { state, outcomes, ports } = await evolution({ ...PLAN, num_iterations: 1 }, { proposal });
    expect(nodeOf(state, `${best}-0`)).toMatchObject({ status: 'duplicate', duplicate_of: '0' });
    expect(ports.lines.filter((line) => line.includes(`${best}-0 is skipped after 3 tries`))).toHaveLength(1);
    const { parents } = outcomes[1] as IterationOutcome;
    expect(parents).toHaveLength(2);
    expect(parents).not.toContain(best);
    expect(state.newcomers).toEqual(parents.map((id) => `${id}-0`).sort());
  });

  test('it says what begins, and where fewer are evolved than asked for', async () => {
    const proposal = ({ id, parent }: ProposalRequest) => ({ code: parent === null ? id : '0' });
    const { ports, outcomes } = await evolution({ ...PLAN, num_iterations: 1 }, { proposal });
    expect((outcomes[1] as IterationOutcome).parents).toEqual([]);
    expect(ports.lines[0]).toBe('[Iteration 0] Generating 4 scaffolds: 0, 1, 2, 3');
    expect(ports.lines).toContain('[Iteration 1] Validating 4 scaffolds on 3 examples: 0, 1, 2, 3');
    expect(ports.lines.filter((line) => line.startsWith('[Iteration 1] Evolving '))).not.toEqual([]);
    expect(ports.lines.at(-1)).toBe(
      '[Iteration 1] Warning: 0 of 2 scaffolds were evolved: no other is left that could be',
    );
  });

  test('training examples do not come up again in it until all have', async () => {
    const plan = { ...PLAN, scaffolder: { num_examples: 1, feedback_examples: 0 } };
    const { ports } = await evolution(plan, { order: 3 });
    const first = ports.proposals.filter(({ parent }) => parent === null);
    expect(new Set(first.flatMap(({ examples }) => examples)).size).toBe(4);
    const trained = ports.executions.filter(({ type }) => type === 'train').map(({ example }) => example);
    expect(new Set(trained.slice(0, 6)).size).toBe(6);
    expect(trained).toHaveLength(8);
  });
});

describe('a scaffold that comes to no result, for reasons that are not its own', () => {
  const AWAY = { unscored: 'its model did not answer' };
  const lost = (id: string, type: string) => (request: ExecutionRequest) =>
    request.scaffold === id && request.type === type ? AWAY : scoreOf(request);

  test.each(SELECTIONS)('$kind: is given up without a score, and evolved no more', async (selection) => {
    const plan = { ...PLAN, selection };
    const calm = await evolution({ ...plan, num_iterations: 1 });
    const [best = ''] = (calm.outcomes[1] as IterationOutcome).parents;
    const world: World = { score: lost(best, 'valid') };
    const [one, other] = [
      await evolution(plan, { ...world, order: 1 }),
      await evolution(plan, { ...world, order: 2 }),
    ];
    expect(other.outcomes).toEqual(one.outcomes);
    const { state, outcomes, ports } = one;
    expect(nodeOf(state, best)).toMatchObject({ status: 'unscored', error: AWAY.unscored, valid: [] });
    expect(bestScaffold(state.nodes)?.id).not.toBe(best);
    for (const { parents, validated } of outcomes.slice(1)) {
      expect(parents.length).toBeGreaterThan(0);
      expect(parents).not.toContain(best);
      expect(validated.map(({ scaffold }) => scaffold)).not.toContain(best);
    }
    expect(ports.lines).toContain(
      `[Iteration 1] Warning: scaffold ${best} is given up without a score: its model did not answer`,
    );
  });

  test.each(SELECTIONS)('$kind: is not the best, whatever score it had before', async (selection) => {
    const plan = { ...PLAN, selection, num_iterations: 1 };
    const { state, outcomes } = await evolution(plan);
    const { id: best = '' } = bestScaffold(state.nodes) ?? {};
    const ports = new Ports({ score: (request) => (request.scaffold === best ? AWAY : 0) });
    const closed = await new Iteration(plan, throughJson(state), ports, 'Closing').validate();
    expect(outcomes).toHaveLength(2);
    const wasAsked = ports.executions.some(({ scaffold }) => scaffold === best);
    expect(nodeOf(closed.state, best).status).toBe(wasAsked ? 'unscored' : 'validated');
    expect(bestScaffold(closed.state.nodes)?.iteration).toBe(2);
    if (wasAsked) expect(bestScaffold(closed.state.nodes)?.id).not.toBe(best);
  });

  test('gives way to the next best where it cannot be run on its training example', async () => {
    const calm = await evolution({ ...PLAN, num_iterations: 1 });
    const [best = '', second = ''] = (calm.outcomes[1] as IterationOutcome).parents;
    const { state, outcomes, ports } = await evolution(
      { ...PLAN, num_iterations: 1 },
      { score: lost(best, 'train') },
    );
    const { parents, trained } = outcomes[1] as IterationOutcome;
    expect(parents).toHaveLength(2);
    expect(parents[0]).toBe(second);
    expect(trained.map(({ scaffold }) => scaffold)).not.toContain(best);
    expect(nodeOf(state, best)).toMatchObject({ status: 'validated', train: [] });
    expect(nodeOf(state, `${best}-0`)).toMatchObject({ status: 'unscored', error: AWAY.unscored });
    expect(ports.proposals.some(({ parent }) => parent === best)).toBe(false);
  });

  test('ends the experiment, to be tried again, where that is so of every one', async () => {
    const begun = evolution(PLAN, { score: () => AWAY });
    await expect(begun).rejects.toThrow(NoScaffoldError);
    await expect(begun).rejects.toThrow(
      'every scaffold was given up without a score; the same command tries them again. Scaffold 0: its model did not answer',
    );
  });

  test('is not written any further where its draft cannot be run', async () => {
    const agent = { max_turns: 4, draft_examples: 2 };
    const { state, ports } = await evolution(
      { ...PLAN, num_iterations: 0, scaffolder: { ...PLAN.scaffolder, agent } },
      {
        turn: ({ turn }) => (turn === 0 ? { kind: 'draft' } : submitted('code')),
        draft: ({ scaffold }) => (scaffold === '1' ? AWAY : 1),
      },
    );
    expect(nodeOf(state, '1')).toMatchObject({ status: 'unscored', error: AWAY.unscored });
    expect(ports.turns.filter(({ id }) => id === '1')).toHaveLength(1);
    expect(state.newcomers).not.toContain('1');
  });
});

describe('a scaffolder that works in turns', () => {
  const plan: IterationPlan = {
    ...PLAN,
    num_iterations: 0,
    initial_scaffolds: 1,
    scaffolder: { ...PLAN.scaffolder, agent: { max_turns: 4, draft_examples: 2 } },
  };

  test('has its drafts run, is told what was wrong, and submits', async () => {
    const turn = ({ turn: number }: TurnRequest) => {
      if (number === 0) return { kind: 'draft' as const };
      return number === 1 ? { kind: 'refused' as const, fault: 'no such tool' } : submitted('code');
    };
    const { state, ports } = await evolution(plan, { turn });
    expect(ports.turns.map(({ turn: number, told }) => ({ number, told }))).toEqual([
      { number: 0, told: [] },
      { number: 1, told: [null] },
      { number: 2, told: [null, 'no such tool'] },
    ]);
    const examples = ports.turns[0]?.draft_examples as string[];
    expect(examples).toHaveLength(2);
    expect(PLAN.train).toEqual(expect.arrayContaining(examples));
    expect(ports.drafts.map(({ turn: number, example }) => ({ number, example }))).toEqual(
      examples.map((example) => ({ number: 0, example })),
    );
    expect(nodeOf(state, '0')).toMatchObject({ status: 'new', fingerprint: 'code' });
    expect(ports.proposals).toEqual([]);
  });

  test('has so many turns, and a try that submits nothing has failed', async () => {
    const turn = ({ attempt, turn: number }: TurnRequest) =>
      attempt === 2 && number === 1
        ? submitted('late')
        : number === 3
          ? { kind: 'failed' as const, fault: `try ${attempt} came to nothing` }
          : { kind: 'refused' as const, fault: 'no' };
    const { state, ports } = await evolution(plan, { turn });
    expect(ports.turns.map(({ attempt, turn: number }) => `${attempt}.${number}`)).toEqual([
      '0.0',
      '0.1',
      '0.2',
      '0.3',
      '1.0',
      '1.1',
      '1.2',
      '1.3',
      '2.0',
      '2.1',
    ]);
    expect(ports.turns.at(-1)?.faults).toEqual(['try 0 came to nothing', 'try 1 came to nothing']);
    expect(nodeOf(state, '0').fingerprint).toBe('late');
  });

  test('continues at the turn where it was cut off', async () => {
    const turn = ({ turn: number }: TurnRequest) =>
      number < 2 ? { kind: 'draft' as const } : submitted('code');
    const memo = noMemo();
    const before = new Ports({ turn });
    const cut = rememberingPorts(
      {
        propose: (request) => before.propose(request),
        turn: (request) => (request.turn === 2 ? Promise.reject(new Error('cut off')) : before.turn(request)),
        runDraft: (request) => before.runDraft(request),
        execute: (request) => before.execute(request),
        say: () => undefined,
        announce: () => undefined,
      },
      memo,
      new Slots(1),
    );
    await expect(new Iteration(plan, START, cut).run()).rejects.toThrow('cut off');
    const after = new Ports({ turn });
    const { state } = await new Iteration(
      plan,
      START,
      rememberingPorts(after, throughJson(memo), new Slots(1)),
    ).run();
    expect(before.drafts).toHaveLength(4);
    expect(after.turns.map(({ turn: number }) => number)).toEqual([2]);
    expect(after.drafts).toEqual([]);
    expect(nodeOf(state, '0').fingerprint).toBe('code');
  });
});

describe('the validation that closes an evolution', () => {
  /** The examples of iteration 1 are easy for everybody; later ones are for nobody but a latecomer. */
  async function afterAnEasyIteration(selection: SelectionSettings) {
    const plan = { ...PLAN, selection, num_iterations: 2 };
    const went = await evolution(plan, {
      score: ({ iteration, scaffold, example }) =>
        iteration === 1
          ? 1 - 0.01 * Number(scaffold.charAt(0))
          : scaffold.includes('-') && example !== 'v0'
            ? 0.6
            : 0.1,
    });
    return { plan, went };
  }

  test.each(SELECTIONS)(
    '$kind: the best has its score from there, not from easier examples',
    async (selection) => {
      const { plan, went } = await afterAnEasyIteration(selection);
      const ports = new Ports({ score: ({ scaffold }) => (scaffold.includes('-') ? 0.6 : 0.1) });
      const closed = await new Iteration(plan, throughJson(went.state), ports, 'Closing').validate();
      const best = bestScaffold(closed.state.nodes);
      expect(best).toMatchObject({ iteration: 3, score: 0.6 });
      expect(best?.id).toContain('-');
      expect(closed.validated.map(({ scaffold }) => scaffold)).toContain(best?.id);
      expect(ports.proposals).toEqual([]);
    },
  );

  test.each(SELECTIONS)('$kind: ends also where nothing was ever made', async (selection) => {
    const state = { ...START, next_iteration: 3 };
    const closed = await new Iteration({ ...PLAN, selection }, state, new Ports({})).validate();
    expect(closed.validated).toEqual([]);
  });
});

describe('an iteration that is gone through again', () => {
  test.each(SELECTIONS)('$kind: does nothing that was done, wherever it was cut off', async (selection) => {
    const plan = { ...PLAN, selection };
    const { state, outcomes } = await evolution({ ...plan, num_iterations: 2 });
    const begin = outcomes[1]?.state as EvolveState;
    for (const steps of [0, 1, 4, 9, 12]) {
      let memo: IterationMemo = noMemo();
      const before = new Ports({ order: steps });
      const cut = rememberingPorts(cutOff(before, steps), memo, new Slots(3));
      await new Iteration(plan, throughJson(begin), cut).run().catch((error: Error) => {
        expect(error.message).toBe('cut off');
      });
      memo = throughJson(memo);
      const done = new Set([...Object.keys(memo.proposals), ...Object.keys(memo.executions)]);
      expect(done.size).toBe(steps);
      const after = new Ports({ order: steps + 1 });
      const ports = rememberingPorts(after, memo, new Slots(2));
      const outcome = await new Iteration(plan, throughJson(begin), ports).run();
      expect(outcome.state).toEqual(state);
      const again = [
        ...after.proposals.map(({ id, attempt }) => `${id}/${attempt}`),
        ...after.executions.map(({ scaffold, type, example }) => `${scaffold}/${type}/${example}`),
      ];
      expect(again.filter((name) => done.has(name))).toEqual([]);
    }
  });

  /** Ports that stop after so many steps; a step that has begun ends. */
  function cutOff(ports: Ports, steps: number): IterationPorts {
    let left = steps;
    const take = () => {
      left -= 1;
      if (left < 0) throw new Error('cut off');
    };
    return {
      propose: async (request) => {
        take();
        return ports.propose(request);
      },
      turn: async (request) => {
        take();
        return ports.turn(request);
      },
      runDraft: async (request) => {
        take();
        return ports.runDraft(request);
      },
      execute: async (request) => {
        take();
        return ports.execute(request);
      },
      say: () => undefined,
      announce: () => undefined,
    };
  }

  test('of a run it remembers the score alone', async () => {
    const memo = noMemo();
    const { outcomes } = await evolution({ ...PLAN, num_iterations: 1 });
    const ports = rememberingPorts(new Ports({}), memo, new Slots(8));
    await new Iteration(PLAN, outcomes[0]?.state as EvolveState, ports).run();
    const runs = Object.keys(memo.executions).length;
    expect(runs).toBe(4 * 3 + 2 * 2);
    expect(JSON.stringify(memo.executions).length / runs).toBeLessThan(40);
  });
});
