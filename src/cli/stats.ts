import type { Command } from 'commander';
import { comparedParts } from '../activities/compared-experiment.js';
import { InvalidInputError } from '../config/errors.js';
import { quotable } from '../config/named-files.js';
import { type Json, jsonFault } from '../contracts/json.js';
import { parsePlainJson } from '../datasets/json-text.js';
import type { Estimate } from '../statistics/clustered-bootstrap.js';
import { scoreText } from '../statistics/figure-text.js';
import { comparePaired, type PairedComparison } from '../statistics/paired.js';
import { weightsText } from '../statistics/pass-at-k.js';
import { judgedRewards, type RewardRow, readRewardRow } from '../statistics/reward-rows.js';
import {
  type RewardStatistics,
  type RewardStatisticsOptions,
  rewardStatistics,
} from '../statistics/reward-statistics.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { readLines, readNumberedJsonLines } from '../storage/json-lines.js';
import { artifactKeys } from '../storage/paths.js';
import { shownAddress } from '../storage/shown-address.js';
import { missingFile } from '../storage/stored-file.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { findFile, RESULTS_DIR, resultsFolders } from './find-experiment.js';
import { headedTable } from './format.js';
import { noPairText, type PairWords, pairedRows } from './paired-text.js';
import { printJson, printText } from './print.js';
import { successRewardOf } from './success-reward.js';

const MAX_RESAMPLES = 1_000_000;

interface StatsOptions {
  against?: string;
  successReward?: string;
  confidence: string;
  resamples: string;
  seed: string;
  resultsDir?: string;
  json?: boolean;
}

/** Returns the addresses of the experiments that a named one consists of; null: it consists of none. */
async function partsNamed(address: string, resultsDir: string | undefined): Promise<string[] | null> {
  const { store, key } = await findFile(address, {
    folders: resultsFolders(resultsDir),
    file: artifactKeys.results,
  });
  const parts = key === artifactKeys.results ? await comparedParts(store) : null;
  return parts?.map(({ uri }) => uri) ?? null;
}

/** Reads the text of a file that is one list, as other programs write it; null for JSON lines. */
async function listIn(source: AsyncIterable<Uint8Array>, name: string): Promise<string | null> {
  const lines: string[] = [];
  for await (const { text } of readLines(source, name)) {
    if (lines.length === 0 && text.trim() === '') continue;
    if (lines.length === 0 && !text.trimStart().startsWith('[')) return null;
    lines.push(text);
  }
  return lines.length === 0 ? null : lines.join('\n');
}

/** Reads the values of a file of JSON lines, or of one list, each with its place. */
async function* valuesIn(
  store: ArtifactStore,
  key: string,
  name: string,
): AsyncGenerator<{ place: string; value: unknown }> {
  const open = async () => (await store.openRead(key)) ?? Promise.reject(missingFile(store, key));
  const list = await listIn(await open(), name);
  if (list !== null) {
    yield* itemsOf(list, name);
    return;
  }
  for await (const { line, value } of readNumberedJsonLines(await open(), { name, parse: parsePlainJson })) {
    yield { place: `line ${line} of ${name}`, value };
  }
}

/** @throws InvalidInputError where the text is no JSON. */
function itemsOf(text: string, name: string): { place: string; value: unknown }[] {
  try {
    const items = parsePlainJson(text) as Json[];
    return items.map((value, index) => ({ place: `item ${index + 1} of ${name}`, value }));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new InvalidInputError(`${name} is no JSON: ${quotable(error.message, jsonFault(error))}`);
  }
}

interface Rewards {
  rows: RewardRow[];
  /** Least reward of a success in the experiment that the rows are of; undefined: it says nothing of it. */
  successReward: number | undefined;
}

/** @throws InvalidInputError that names the place of what is no row of rewards. */
async function readRewards(address: string, resultsDir: string | undefined): Promise<Rewards> {
  const { store, key } = await findFile(address, {
    folders: resultsFolders(resultsDir),
    file: artifactKeys.results,
  });
  const rows: RewardRow[] = [];
  for await (const { place, value } of valuesIn(store, key, address)) {
    rows.push(refusing(place, () => readRewardRow(value)));
  }
  if (rows.length === 0) throw new InvalidInputError(`${address} has no rows`);
  const successReward = key === artifactKeys.results ? await successRewardOf(store) : undefined;
  return { rows, successReward };
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
    ...(successReward === undefined
      ? {}
      : { successReward: numberOption(successReward, '--success-reward', 'a number', () => true) }),
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

function intervalText(interval: Estimate | null): string {
  if (interval === null) return '–';
  const { estimate, stderr, lower, upper, confidence } = interval;
  if (stderr === null) return `${figure(estimate)}, of one task: no interval`;
  if (lower === null || upper === null) return `${figure(estimate)}, equal in all tasks: no interval`;
  const share = Number((confidence * 100).toFixed(6));
  return `${figure(estimate)}, stderr ${figure(stderr)}, ${share} % interval ${figure(lower)} to ${figure(upper)}`;
}

function statisticsText(statistics: FileStatistics): string {
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
  const { pass_warning, success_warning } = statistics;
  if (estimates.length === 0) return headedTable([], rows);
  return [
    headedTable([], rows),
    headedTable(['k', 'pass@k', 'pass^k', 'tasks'], estimates),
    weightsText({ trial: 'trial', task: 'task' }),
    ...[pass_warning, success_warning].flatMap((one) => (one === undefined ? [] : [`Warning: ${one}.`])),
  ].join('\n');
}

interface FileComparison extends PairedComparison {
  /** Tasks that were judged in one file only. */
  unpaired: number;
}

const WORDS: PairWords = { baseline: 'there', other: 'here', unit: 'task' };

function comparisonText(comparison: FileComparison): string {
  const { pairs, unpaired } = comparison;
  if (pairs === 0) return noPairText(WORDS);
  const left = unpaired === 0 ? '' : `; ${unpaired} in one only, left out`;
  return headedTable([], [['tasks in both', `${pairs}${left}`], ...pairedRows(comparison, WORDS)]);
}

interface FileStatistics extends RewardStatistics {
  /** Warning where rewards are on another scale than 0 to 1, and nothing says what a success is. */
  success_warning?: string;
}

/** Computes the statistics of rewards; a success is what their experiment takes for one, unless the settings say. */
function statisticsOf({ rows, successReward }: Rewards, settings: RewardStatisticsOptions): FileStatistics {
  const success = settings.successReward ?? successReward;
  const most = rows.reduce((highest, { reward }) => Math.max(highest, reward ?? 0), 0);
  const success_warning = `rewards go up to ${figure(most)}, and each of at least 1 is taken for a success; --success-reward says what is one`;
  return {
    ...rewardStatistics(rows, { ...settings, successReward: success }),
    ...(success === undefined && most >= 1.5 ? { success_warning } : {}),
  };
}

/** Computes the other file's statistics, and the comparison with it over the tasks that are in both. */
function compare(
  rows: readonly RewardRow[],
  others: Rewards,
  file: string,
  settings: RewardStatisticsOptions,
): { against: FileStatistics; comparison: FileComparison } {
  return refusing(file, () => {
    const [tasks, otherTasks] = [judgedRewards(rows).byTask, judgedRewards(others.rows).byTask];
    const comparison = comparePaired(otherTasks, tasks, settings);
    const unpaired = tasks.size + otherTasks.size - 2 * comparison.pairs;
    return { against: statisticsOf(others, settings), comparison: { ...comparison, unpaired } };
  });
}

export function addStatsCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('stats')
    .addHelpText(
      'after',
      examples('reprise stats my-run', 'reprise stats results/my-run/results.jsonl --against baseline'),
    )
    .argument('<file>', 'a JSONL file, as a path or s3:// address; or the id or folder of an experiment')
    .option('--against <file>', 'compare, task by task, with another one')
    .option(
      '--success-reward <reward>',
      'the least reward of a success (default: that of the evaluation, or 1)',
    )
    .option('--confidence <share>', 'of the intervals', '0.95')
    .option('--resamples <n>', 'of the bootstrap', '10000')
    .option('--seed <seed>', 'of the bootstrap, and of a permutation test', '0')
    .option(...RESULTS_DIR)
    .option('--json', 'for machines')
    .action(async (file: string, options: StatsOptions) => {
      const settings = statisticsOptions(options);
      const { against: otherFile, resultsDir } = options;
      const others = otherFile === undefined ? null : await readRewards(otherFile, resultsDir);
      const parts = await partsNamed(file, resultsDir);
      const all: object[] = [];
      for (const one of parts ?? [file]) {
        const rewards = await readRewards(one, resultsDir);
        const statistics = refusing(one, () => statisticsOf(rewards, settings));
        const compared =
          others === null ? null : compare(rewards.rows, others, otherFile as string, settings);
        all.push({ ...(parts !== null && { experiment: one }), ...statistics, ...compared });
        if (options.json) continue;
        printText(`${parts === null ? '' : `${shownAddress(one)}:\n`}${statisticsText(statistics)}`);
        if (compared !== null) {
          const { against, comparison } = compared;
          printText(`${otherFile}:\n${statisticsText(against)}`);
          printText(`Against ${otherFile}:\n${comparisonText(comparison)}`);
        }
      }
      if (options.json) printJson(parts === null ? all[0] : all);
      finish(EXIT.done);
    });
}
