import type { Command } from 'commander';
import { locatedFiles } from '../activities/locate.js';
import { InvalidInputError } from '../config/errors.js';
import { resolveLocation } from '../config/paths.js';
import { parsePlainJson } from '../datasets/json-text.js';
import type { Interval } from '../statistics/clustered-bootstrap.js';
import { scoreText } from '../statistics/figure-text.js';
import { comparePaired, type PairedComparison } from '../statistics/paired.js';
import { weightsText } from '../statistics/pass-at-k.js';
import { type RewardRow, readRewardRow } from '../statistics/reward-rows.js';
import {
  type RewardStatistics,
  type RewardStatisticsOptions,
  rewardStatistics,
} from '../statistics/reward-statistics.js';
import { readNumberedJsonLines } from '../storage/json-lines.js';
import { openStore } from '../storage/open.js';
import { EXIT } from './exit.js';
import { headedTable } from './format.js';
import { printJson, printText } from './print.js';

const MAX_RESAMPLES = 1_000_000;

interface StatsOptions {
  against?: string;
  successReward: string;
  confidence: string;
  resamples: string;
  seed: string;
  json?: boolean;
}

/** @throws InvalidInputError that names the line where it is not a row of rewards. */
async function readRewards(address: string): Promise<RewardRow[]> {
  const source = await locatedFiles(openStore)(resolveLocation(address, process.cwd()));
  if (source === null) throw new InvalidInputError(`there is no file at ${address}`);
  const rows: RewardRow[] = [];
  for await (const { line, value } of readNumberedJsonLines(source, {
    name: address,
    parse: parsePlainJson,
  })) {
    rows.push(refusing(`line ${line} of ${address}`, () => readRewardRow(value)));
  }
  if (rows.length === 0) throw new InvalidInputError(`${address} has no rows`);
  return rows;
}

function refusing<Value>(what: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new InvalidInputError(`${what}: ${error.message}`);
  }
}

function numberOption(text: string, option: string, expected: string, holds: (value: number) => boolean) {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && holds(value)) return value;
  throw new InvalidInputError(`${option} ${text}: must be ${expected}`);
}

function statisticsOptions(options: StatsOptions): RewardStatisticsOptions {
  const { successReward, confidence, resamples, seed } = options;
  return {
    successReward: numberOption(successReward, '--success-reward', 'a number', () => true),
    confidence: numberOption(
      confidence,
      '--confidence',
      'a number between 0 and 1',
      (value) => value > 0 && value < 1,
    ),
    resamples: numberOption(
      resamples,
      '--resamples',
      `a whole number from 1 to ${MAX_RESAMPLES}`,
      (value) => Number.isInteger(value) && value >= 1 && value <= MAX_RESAMPLES,
    ),
    seed,
  };
}

/** Formats a number with three decimals; numbers too large for that as scores. */
const figure = (value: number) => (Math.abs(value) < 1e21 ? value.toFixed(3) : scoreText(value));

function intervalText(interval: Interval | null): string {
  if (interval === null) return '–';
  const { estimate, lower, upper, confidence } = interval;
  if (lower === null || upper === null) return `${figure(estimate)}, of one task: no interval`;
  const share = Number((confidence * 100).toFixed(6));
  return `${figure(estimate)}, ${share} % interval ${figure(lower)} to ${figure(upper)}`;
}

function statisticsText(statistics: RewardStatistics): string {
  const { tasks, tasks_without_rewards, trials, errors, successes, trials_per_task, pass } = statistics;
  const { fewest, most } = trials_per_task;
  const rows = [
    [
      'tasks',
      tasks_without_rewards === 0 ? `${tasks}` : `${tasks}, and ${tasks_without_rewards} of errors only`,
    ],
    ['trials', `${trials}, ${fewest === most ? `${most} a task` : `${fewest} to ${most} a task`}`],
    ['errors', `${errors}${errors === 0 ? '' : ', left out'}`],
    ['successes', String(successes)],
    ['mean reward', intervalText(statistics.mean_reward)],
  ];
  const estimates = pass.map(({ k, pass_at_k, pass_hat_k, tasks: of }) => [
    String(k),
    figure(pass_at_k),
    figure(pass_hat_k),
    String(of),
  ]);
  const { pass_warning } = statistics;
  if (estimates.length === 0) return headedTable([], rows);
  return [
    headedTable([], rows),
    headedTable(['k', 'pass@k', 'pass^k', 'tasks'], estimates),
    weightsText({ trial: 'trial', task: 'task' }),
    ...(pass_warning === undefined ? [] : [`Warning: ${pass_warning}.`]),
  ].join('\n');
}

function comparisonText(comparison: PairedComparison): string {
  const { difference, pairs, unpaired, left_better, right_better, p_value } = comparison;
  const rows = [
    ['tasks in both', unpaired === 0 ? `${pairs}` : `${pairs}; ${unpaired} in one only say nothing here`],
    ['difference of mean rewards', intervalText(difference)],
    ['better, worse, equal', `${left_better}, ${right_better}, ${pairs - left_better - right_better}`],
    ['p-value of the sign test', p_value < 0.001 ? p_value.toExponential(1) : figure(p_value)],
  ];
  return headedTable([], rows);
}

/** Computes the other file's statistics, and the comparison over the tasks that are in both. */
function compare(
  rows: readonly RewardRow[],
  others: readonly RewardRow[],
  file: string,
  settings: RewardStatisticsOptions,
): { against: RewardStatistics; comparison: PairedComparison } {
  return refusing(file, () => ({
    against: rewardStatistics(others, settings),
    comparison: comparePaired(rows, others, settings),
  }));
}

export function addStatsCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('stats')
    .argument('<file>', 'a JSONL file, as a path or s3:// address; the results.jsonl of a run is one')
    .option('--against <file>', 'compare, task by task, with another such file')
    .option('--success-reward <reward>', 'the least reward of a success', '1')
    .option('--confidence <share>', 'of the intervals', '0.95')
    .option('--resamples <n>', 'of the bootstrap', '10000')
    .option('--seed <seed>', 'of the bootstrap', '0')
    .option('--json', 'for machines')
    .action(async (file: string, options: StatsOptions) => {
      const settings = statisticsOptions(options);
      const rows = await readRewards(file);
      const others = options.against === undefined ? null : await readRewards(options.against);
      const statistics = refusing(file, () => rewardStatistics(rows, settings));
      const compared = others === null ? null : compare(rows, others, options.against as string, settings);
      if (options.json) printJson({ ...statistics, ...compared });
      else {
        printText(statisticsText(statistics));
        if (compared !== null) {
          const { against, comparison } = compared;
          printText(`${options.against}:\n${statisticsText(against)}`);
          printText(`Against ${options.against}:\n${comparisonText(comparison)}`);
        }
      }
      finish(EXIT.done);
    });
}
