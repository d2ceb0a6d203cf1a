import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { evolveTable, rolloutsTable } from './experiment-tables.js';
import { latencyText } from './latency.js';
import type { BenchResult } from './result.js';
import {
  contestTable,
  executionsTable,
  experiencesTable,
  lengthTable,
  memoryTable,
  productionTable,
  recoveryTable,
  startTable,
  targetTable,
} from './table.js';

/** Share of the machine's CPU that others may take before a report warns. */
const QUIET = 0.1;

function conditions({ host, at, quick, contests, inspect }: BenchResult): string {
  const [contest] = contests;
  const runs = Math.max(0, ...contests.map((one) => one.runs.length));
  const lines = [
    `${at.slice(0, 16).replace('T', ' ')} UTC, ${host.cpu}, ${host.cores} cores, ${host.memory_gb} GB, ${host.system}, Node ${host.node}${host.commit === null ? '' : `, commit ${host.commit}`}.`,
    contest === undefined
      ? ''
      : `${contest.samples} samples, one LM call each, concurrency ${contest.concurrency}, against a mock server on the same machine; ${runs} run${runs === 1 ? '' : 's'} each, taking turns: median (least–most).`,
    'run: from the start of the run to its end, by its own account. command: the whole command, with its start-up. CPU and memory of the Temporal server stand apart; memory is that of the largest process.',
  ];
  if (contests.some(({ contestant }) => contestant === 'inspect'))
    lines.push('Inspect AI reports its own start and end in whole seconds.');
  if (!inspect)
    lines.push(
      "Inspect AI was not compared: there is no `inspect` on PATH (pip install inspect-ai openai 'click!=8.4.0').",
    );
  if (quick) lines.push('**A quick run: it shows that the bench works, and its figures mean little.**');
  const disturbance = Math.max(0, ...contests.flatMap(({ runs }) => runs.map((run) => run.disturbance ?? 0)));
  if (disturbance > QUIET) {
    lines.push(
      `**The machine was not quiet: in one of the runs others took ${(disturbance * 100).toFixed(0)} % of its CPU. Times and ratios of this table are to be taken with care.**`,
    );
  } else if (host.load_before > 0.5) {
    lines.push(`**The machine was not idle before it began (load ${host.load_before.toFixed(1)}).**`);
  }
  return lines.filter(Boolean).join('\n\n');
}

/** The whole report as Markdown. */
export function reportOf(result: BenchResult): string {
  const { recovery, failures, contests } = result;
  const errors = [
    ...contests.flatMap((contest) =>
      contest.error === null ? [] : [`${contest.title}, ${latencyText(contest)}: ${contest.error}`],
    ),
    ...failures,
  ];
  const [killed] = recovery;
  const scene =
    killed === undefined
      ? null
      : `${killed.samples} samples, concurrency ${killed.concurrency}, a model of ${killed.latency} ms. The time holds the start of the new worker.`;
  const parts = [
    '# Reprise bench',
    conditions(result),
    contests.length > 0 ? contestTable(result) : null,
    recoveryTable(result),
    scene,
    startTable(result),
    productionTable(result),
    lengthTable(result),
    memoryTable(result),
    experiencesTable(result),
    executionsTable(result),
    rolloutsTable(result),
    evolveTable(result),
    targetTable(result),
    errors.length > 0 ? `Failed:\n\n${errors.map((error) => `- ${error}`).join('\n')}` : null,
  ];
  return `${parts.filter((part) => part !== null).join('\n\n')}\n`;
}

/** `2026-01-31-intel-xeon-2-cores`, with `-quick` where it was one. */
export function reportName({ at, host, quick }: BenchResult): string {
  const cpu = host.cpu
    .replace(/\((R|TM)\)|@.*$|\bCPU\b|\bProcessor\b/gi, ' ')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${at.slice(0, 10)}-${cpu || 'cpu'}-${host.cores}-cores${quick ? '-quick' : ''}`;
}

/** Writes the table and everything it was made from. Answers the table's path. */
export async function writeReport(result: BenchResult, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, reportName(result));
  await writeFile(`${path}.json`, `${JSON.stringify(result, null, 2)}\n`);
  await writeFile(`${path}.md`, reportOf(result));
  return `${path}.md`;
}
