import { execFileSync } from 'node:child_process';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ContestResult } from './measure/contests.js';
import type { EvolveMeasured, EvolveSkipped } from './measure/evolve.js';
import type { ExecutionsResult, ExecutionsSkipped } from './measure/executions.js';
import type { ExperiencesResult } from './measure/experiences.js';
import type { LengthResult } from './measure/length.js';
import type { MemoryResult } from './measure/memory.js';
import type { ProductionResult, ProductionSkipped } from './measure/production.js';
import type { RecoveryResult } from './measure/recovery.js';
import type { RolloutsResult } from './measure/rollouts.js';
import type { SequentialResult } from './measure/sequential.js';
import type { StartResult } from './measure/start.js';

export interface Host {
  cpu: string;
  cores: number;
  memory_gb: number;
  system: string;
  node: string;
  /** Processes that were running or waiting in the minute before: above 0.5, somebody else was at work. */
  load_before: number;
  /** The commit, with `+` where the work tree differs from it. */
  commit: string | null;
}

/** Everything that one `npm run bench` measured. */
export interface BenchResult {
  /** ISO 8601. */
  at: string;
  host: Host;
  quick: boolean;
  /** False: `inspect` was not on PATH. */
  inspect: boolean;
  contests: ContestResult[];
  sequential: SequentialResult[];
  /** At each grain. */
  recovery: RecoveryResult[];
  starts: StartResult[];
  production: ProductionResult | ProductionSkipped | null;
  lengths: LengthResult[];
  memory: MemoryResult[];
  experiences: ExperiencesResult[];
  executions: ExecutionsResult | ExecutionsSkipped | null;
  rollouts: RolloutsResult | null;
  evolve: EvolveMeasured | EvolveSkipped | null;
  /** Measurements that failed, a sentence each. */
  failures: string[];
}

function commit(): string | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '+'}`;
  } catch {
    return null;
  }
}

export function describeHost(): Host {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() || 'unknown',
    cores: processors.length,
    memory_gb: Math.round(totalmem() / 1e9),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    load_before: loadavg()[0] ?? 0,
    commit: commit(),
  };
}
