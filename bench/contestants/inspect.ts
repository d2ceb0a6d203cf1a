import { accessSync, constants } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { startProgram, success } from '../measure/command.js';
import { UsageWatch } from '../measure/process-usage.js';
import { INSPECT_TASK } from '../paths.js';
import type { Contest } from '../workspace.js';
import type { Contestant } from './contestant.js';

/** The header of one of Inspect's logs, as `inspect log dump --header-only` prints it. */
interface LogHeader {
  status: string;
  stats: { started_at: string; completed_at: string };
  results: { completed_samples: number; scores: { metrics: { accuracy?: { value: number } } }[] };
  plan: { config: Record<string, unknown> };
}

/** Where `inspect` is on PATH; null where it is not. */
export function findInspect(environment: NodeJS.ProcessEnv = process.env): string | null {
  for (const folder of (environment.PATH ?? '').split(delimiter)) {
    try {
      const path = join(folder, 'inspect');
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  return null;
}

/**
 * Click 8.4.0 takes an option that was not given for one given without a value, and Inspect has a dozen whose default
 * is off: it answers from its cache, sends batches, shuffles and starts a server.
 */
function assertNothingSwitchedOn({ plan: { config } }: LogHeader): void {
  const on = ['cache', 'batch'].filter((option) => (config[option] ?? false) !== false);
  if (on.length === 0) return;
  throw new Error(
    `Inspect switched on ${on.map((option) => `--${option}`).join(' and ')}, which nobody asked for, as it does under click 8.4.0: pip install 'click!=8.4.0'`,
  );
}

function assertAllRight({ status, results }: LogHeader, { samples }: Contest): void {
  const accuracy = results?.scores[0]?.metrics.accuracy?.value;
  if (status !== 'success' || accuracy !== 1 || results.completed_samples !== samples) {
    throw new Error(`Inspect ended ${status} with an accuracy of ${accuracy} over ${samples} samples`);
  }
}

/** Inspect AI on the same rows, against the same server, with as many connections. */
export function inspectContestant(inspect: string, version: string): Contestant {
  return {
    name: 'inspect',
    title: `Inspect AI ${version}`,
    run: async (contest, workspace) => {
      const logs = join(workspace.folder, 'logs');
      // It takes a task's file by a path relative to its working folder.
      await copyFile(INSPECT_TASK, join(workspace.folder, basename(INSPECT_TASK)));
      const program = startProgram(
        inspect,
        [
          'eval',
          basename(INSPECT_TASK),
          ...['--model', 'openai-api/mock/mock', '-T', `dataset=${workspace.dataset}`],
          ...['--max-connections', String(contest.concurrency), '--log-dir', logs, '--display', 'none'],
        ],
        workspace,
      );
      const watch = new UsageWatch([program.pid]);
      try {
        const { seconds } = await success('inspect eval', program);
        const usage = await watch.stop();
        const [log] = await readdir(logs);
        const dump = startProgram(
          inspect,
          ['log', 'dump', '--header-only', join(logs, log ?? '')],
          workspace,
        );
        const dumpWatch = new UsageWatch([dump.pid]);
        const header = JSON.parse((await success('inspect log dump', dump)).stdout) as LogHeader;
        const aside = (await dumpWatch.stop()).worker.cpu_seconds ?? 0;
        assertNothingSwitchedOn(header);
        assertAllRight(header, contest);
        const { started_at, completed_at } = header.stats;
        return {
          own_seconds: (Date.parse(completed_at) - Date.parse(started_at)) / 1000,
          command_seconds: seconds,
          ...usage,
          aside_cpu_seconds: aside,
        };
      } finally {
        await watch.stop();
      }
    },
  };
}

export async function inspectVersion(inspect: string): Promise<string> {
  const workspace = { folder: process.cwd(), environment: process.env };
  return (await success('inspect --version', startProgram(inspect, ['--version'], workspace))).stdout.trim();
}
