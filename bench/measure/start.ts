import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CPU_AT_EXIT } from '../paths.js';
import { makeFolder } from '../workspace.js';
import { startReprise, success } from './command.js';
import { type Spread, spreadOf } from './spread.js';

export interface StartResult {
  /** What was started: its name in the table. */
  command: string;
  /** Processor seconds of the command's own process, without the Temporal server. */
  cpu_seconds: Spread;
  wall_seconds: Spread;
}

/** One question, answered by a simulated model at once. */
const NOTHING = {
  name: 'nothing',
  dataset: { items: [{ question: 'What is the capital of Norway?', answer: 'Oslo' }] },
  lm: { model: 'simulated/toy' },
  seed: 1,
};

/** Repetitions that are not counted: the first ones store what V8 compiled. */
const UNCOUNTED = 2;

/** What a command takes that has nothing to do. */
export async function measureStart(repetitions: number): Promise<StartResult[]> {
  const folder = await makeFolder(NOTHING, 'http://127.0.0.1:9');
  const file = join(folder.folder, 'cpu');
  const environment = {
    ...folder.environment,
    BENCH_CPU_FILE: file,
    NODE_OPTIONS: `--require=${JSON.stringify(CPU_AT_EXIT)}`,
  };
  const measure = async (command: string, args: readonly string[]): Promise<StartResult> => {
    const [cpu, wall]: [number[], number[]] = [[], []];
    for (let repetition = -UNCOUNTED; repetition < repetitions; repetition++) {
      const { seconds } = await success(command, startReprise(args, { ...folder, environment }));
      if (repetition < 0) continue;
      cpu.push(Number(await readFile(file, 'utf8')));
      wall.push(seconds);
    }
    return { command, cpu_seconds: spreadOf(cpu), wall_seconds: spreadOf(wall) };
  };
  try {
    return [
      await measure('reprise --help', ['--help']),
      await measure('reprise run, one sample', ['run', folder.config, '--json']),
    ];
  } finally {
    await folder.remove();
  }
}
