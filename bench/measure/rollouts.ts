import type { Outcome } from '../contestants/contestant.js';
import { type RolloutContestant, rolloutContestants } from '../contestants/rollouts.js';
import type { Mock } from '../mock.js';
import { makeRolloutFolder, modelCalls, type RolloutContest } from '../rollouts-workspace.js';
import { millisecondsEach } from './overhead.js';
import { type Spread, spreadOf } from './spread.js';

/** How many rollouts are measured. */
export interface RolloutScale {
  rows: number;
  rollouts_a_row: number;
  concurrency: number;
  /** Tool calls of a rollout of which the cost of one is measured. */
  overhead_calls: number;
}

/** One contestant at one latency. */
export interface RolloutContestResult extends RolloutContest {
  contestant: RolloutContestant['name'];
  title: string;
  /** Calls of the model in one rollout. */
  model_calls: number;
  runs: Outcome[];
}

interface ToolCallCost {
  contestant: RolloutContestant['name'];
  /** Rollouts, one after another, and tool calls of each. */
  rollouts: number;
  tool_calls: number;
  /** Milliseconds that a tool call adds. */
  milliseconds: Spread;
}

export interface RolloutsResult {
  contests: RolloutContestResult[];
  tool_call: ToolCallCost[];
}

interface Surroundings {
  mock: Mock;
  repetitions: number;
  say: (message: string) => void;
}

/** Milliseconds of the model. */
const LATENCIES = [0, 1000] as const;
/** Tool calls of a rollout in the contest; one in a reply, as most agents work. */
const TOOL_CALLS = 4;
/** Rollouts with many tool calls, and as many with none. */
/** As many rollouts as run in bundles by default. */
const OVERHEAD = { rows: 10, rollouts_a_row: 4, concurrency: 1, latency: 0 };

async function runOnce(contestant: RolloutContestant, contest: RolloutContest, mock: Mock): Promise<Outcome> {
  const folder = await makeRolloutFolder(contest, mock.baseUrl);
  try {
    await mock.reset(contest.latency);
    const outcome = await contestant.run(contest, folder);
    const { calls } = await mock.statistics();
    const wanted = contest.rows * contest.rollouts_a_row * modelCalls(contest);
    if (calls !== wanted) throw new Error(`${calls} requests in place of ${wanted}`);
    return outcome;
  } finally {
    await folder.remove();
  }
}

/** All rollouts at once, against a model at each latency. Contestants take turns. */
async function runContests(
  { rows, rollouts_a_row, concurrency }: RolloutScale,
  { repetitions, mock, say }: Surroundings,
): Promise<RolloutContestResult[]> {
  const results = LATENCIES.flatMap((latency) =>
    rolloutContestants.map(({ name, title }): RolloutContestResult => {
      const size = { rows, rollouts_a_row, concurrency, latency };
      const contest: RolloutContest = { ...size, tool_calls: TOOL_CALLS, calls_a_reply: 1 };
      return { contestant: name, title, ...contest, model_calls: modelCalls(contest), runs: [] };
    }),
  );
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    for (const result of results) {
      const contestant = rolloutContestants.find(({ name }) => name === result.contestant);
      const outcome = await runOnce(contestant as RolloutContestant, result, mock);
      result.runs.push(outcome);
      const { title, latency } = result;
      say(
        `${repetition}/${repetitions} rollouts, ${title}, ${latency} ms: ${outcome.own_seconds.toFixed(2)} s`,
      );
    }
  }
  return results;
}

/** What a tool call costs: rollouts with many of them, beside as many with none and with the same calls of the model. */
async function costOfToolCall(
  contestant: RolloutContestant,
  tool_calls: number,
  { repetitions, mock, say }: Surroundings,
): Promise<ToolCallCost> {
  say(`the cost of a tool call, ${contestant.title}`);
  const rollouts = OVERHEAD.rows * OVERHEAD.rollouts_a_row;
  const seconds = async (calls: number) => {
    const contest = { ...OVERHEAD, tool_calls: calls, calls_a_reply: Math.max(calls, 1) };
    return (await runOnce(contestant, contest, mock)).own_seconds;
  };
  const costs: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const without = await seconds(0);
    costs.push(millisecondsEach({ with: await seconds(tool_calls), without }, rollouts * tool_calls));
  }
  return { contestant: contestant.name, rollouts, tool_calls, milliseconds: spreadOf(costs) };
}

/** Rollouts of an agent with a tool and a simulated user: how many a second, and what a tool call costs. */
export async function measureRollouts(
  scale: RolloutScale,
  surroundings: Surroundings,
): Promise<RolloutsResult> {
  const contests = await runContests(scale, surroundings);
  const tool_call: ToolCallCost[] = [];
  for (const contestant of rolloutContestants) {
    tool_call.push(await costOfToolCall(contestant, scale.overhead_calls, surroundings));
  }
  return { contests, tool_call };
}
