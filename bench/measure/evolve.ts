import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SandboxType } from '../../src/config/sandbox-schema.js';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { Lineage } from '../../src/kinds/evolve/evolution/lineage.js';
import type { EvolveMetrics, EvolveResult } from '../../src/kinds/evolve/results.js';
import type { Outcome } from '../contestants/contestant.js';
import { type EvolveContest, makeEvolveFolder } from '../evolve-workspace.js';
import type { Mock } from '../mock.js';
import { builtModule } from '../paths.js';
import { startReprise, success } from './command.js';
import { type EvolveStep, idealSeconds } from './ideal.js';
import { UsageWatch } from './process-usage.js';

/** The columns of `executions.jsonl` that count here. */
interface EvolveExecution {
  iteration: number;
  type: 'train' | 'valid' | 'test';
  result: { seconds: number };
}

/** What an evolution has recorded. */
export interface EvolveRecords {
  calls: readonly Pick<CallRecord, 'sample_id' | 'latency_ms'>[];
  executions: readonly EvolveExecution[];
  nodes: readonly Pick<Lineage['nodes'][number], 'id' | 'iteration'>[];
}

export interface EvolveRun extends Outcome {
  calls: number;
  executions: number;
  /** Seconds of these calls and executions where each takes as long as the model and the program wait. */
  ideal_seconds: number;
  /** The same where each takes as long as its record says. */
  recorded_seconds: number;
}

export interface EvolveMeasured extends EvolveContest {
  /** `process` where no Docker daemon answers. */
  sandbox: SandboxType;
  runs: EvolveRun[];
}

/** Why nothing was measured. */
export interface EvolveSkipped {
  skipped: string;
}

/** Every call and execution, as long as its record says. The call that made a scaffold belongs to its iteration. */
export function stepsOf({ calls, executions, nodes }: EvolveRecords): EvolveStep[] {
  const made = new Map(nodes.map(({ id, iteration }) => [id, iteration]));
  return [
    ...calls.map(({ sample_id, latency_ms }): EvolveStep => {
      const iteration = made.get(sample_id);
      if (iteration === undefined) throw new Error(`a call is of a scaffold ${sample_id} that there is not`);
      return { iteration, kind: 'write', seconds: latency_ms / 1000 };
    }),
    ...executions.map(({ iteration, type, result: { seconds } }): EvolveStep => {
      if (type === 'test') throw new Error('there are no test examples, but one was run');
      return { iteration, kind: type, seconds };
    }),
  ];
}

/** The ideal of an evolution's records: with the times that were set, and with those that were recorded. */
export function idealsOf(
  records: EvolveRecords,
  {
    latency,
    program_seconds,
    concurrency,
  }: Pick<EvolveContest, 'latency' | 'program_seconds' | 'concurrency'>,
): Pick<EvolveRun, 'ideal_seconds' | 'recorded_seconds'> {
  const recorded = stepsOf(records);
  const set = recorded.map((step) => ({
    ...step,
    seconds: step.kind === 'write' ? latency / 1000 : program_seconds,
  }));
  return {
    ideal_seconds: idealSeconds(set, concurrency),
    recorded_seconds: idealSeconds(recorded, concurrency),
  };
}

/** A figure counts only where the work was done: every program is asked for once, usable, and right. */
export function assertEvolved(
  metrics: Pick<
    EvolveMetrics,
    | 'status'
    | 'scaffolds'
    | 'scaffolds_failed'
    | 'scaffolds_duplicate'
    | 'executions_failed'
    | 'lm_calls'
    | 'best'
  >,
  { initial_scaffolds, scaffolds_per_iter, num_iterations }: EvolveContest,
): void {
  const wanted = initial_scaffolds + num_iterations * scaffolds_per_iter;
  const { status, scaffolds, scaffolds_failed, scaffolds_duplicate, executions_failed, lm_calls, best } =
    metrics;
  const faulty = scaffolds_failed + scaffolds_duplicate + executions_failed;
  if (status === 'done' && scaffolds === wanted && lm_calls === wanted && faulty === 0 && best?.score === 1)
    return;
  throw new Error(
    `the evolution ended ${status}: ${scaffolds} of ${wanted} scaffolds in ${lm_calls} calls, ${scaffolds_failed} failed, ${scaffolds_duplicate} duplicates, ${executions_failed} executions failed, best score ${best?.score}`,
  );
}

async function readRecords(artifacts: string): Promise<EvolveRecords> {
  const folder = fileURLToPath(artifacts);
  const rows = async <Row>(name: string) =>
    (await readFile(join(folder, name), 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Row);
  const lineage = JSON.parse(await readFile(join(folder, 'lineage.json'), 'utf8')) as Lineage;
  return {
    calls: await rows<CallRecord>('calls.jsonl'),
    executions: await rows<EvolveExecution>('executions.jsonl'),
    nodes: lineage.nodes,
  };
}

async function evolveOnce(contest: EvolveContest, sandbox: SandboxType, mock: Mock): Promise<EvolveRun> {
  const folder = await makeEvolveFolder(contest, { baseUrl: mock.baseUrl, sandbox });
  try {
    await mock.reset(contest.latency);
    const program = startReprise(['evolve', folder.config, '--json'], folder);
    const watch = new UsageWatch([program.pid]);
    try {
      const { stdout, seconds } = await success('reprise evolve', program);
      const usage = await watch.stop();
      const { artifacts, metrics } = JSON.parse(stdout) as EvolveResult;
      assertEvolved(metrics, contest);
      const { lm_calls: calls, executions, wall_seconds: own_seconds } = metrics;
      const ideals = idealsOf(await readRecords(artifacts), contest);
      return { own_seconds, command_seconds: seconds, ...usage, calls, executions, ...ideals };
    } finally {
      await watch.stop();
    }
  } finally {
    await folder.remove();
  }
}

/** The first sandbox of these that works here; else why none does. */
async function findSandbox(types: readonly SandboxType[]): Promise<{ type: SandboxType } | EvolveSkipped> {
  const { createSandbox } =
    await builtModule<typeof import('../../src/sandboxes/create.js')>('sandboxes/create.js');
  const reasons: string[] = [];
  for (const type of types) {
    try {
      const sandbox = await createSandbox(type, { environment: process.env });
      try {
        await sandbox.prepare();
        return { type };
      } finally {
        await sandbox.close();
      }
    } catch (error) {
      reasons.push(`${type}: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  return { skipped: reasons.join('; ') };
}

/** Evolutions against a model and with programs whose times are set: what the engine adds to them. */
export async function measureEvolve(
  contest: EvolveContest,
  {
    mock,
    repetitions,
    sandboxes,
    say,
  }: {
    mock: Mock;
    repetitions: number;
    sandboxes: readonly SandboxType[];
    say: (message: string) => void;
  },
): Promise<EvolveMeasured | EvolveSkipped> {
  const sandbox = await findSandbox(sandboxes);
  if ('skipped' in sandbox) return sandbox;
  const runs: EvolveRun[] = [];
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    const run = await evolveOnce(contest, sandbox.type, mock);
    runs.push(run);
    const [seconds, ideal] = [run.own_seconds.toFixed(2), run.ideal_seconds.toFixed(2)];
    say(`${repetition}/${repetitions} evolution, ${sandbox.type}: ${seconds} s, ideally ${ideal} s`);
  }
  return { ...contest, sandbox: sandbox.type, runs };
}
