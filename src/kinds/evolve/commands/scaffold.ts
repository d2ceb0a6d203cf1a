import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { preparedSandbox, warnOfProcess } from '../../../activities/prepare-sandbox.js';
import { collect } from '../../../cli/collect.js';
import { examples } from '../../../cli/examples.js';
import { EXIT } from '../../../cli/exit.js';
import { headedTable } from '../../../cli/format.js';
import { interruption } from '../../../cli/interruption.js';
import { printJson, printText, sayText, writeOut } from '../../../cli/print.js';
import { processLogger } from '../../../client/process-logger.js';
import { InvalidInputError } from '../../../config/errors.js';
import { modelNameOf } from '../../../config/model-name.js';
import { ownStarts } from '../../../language-models/pace.js';
import { hasCallLimits } from '../../../runtime/budget.js';
import { createSandbox } from '../../../sandboxes/create.js';
import type { CallResult } from '../../../sandboxes/sandbox.js';
import { countedText, dollarsText, scoreText } from '../../../statistics/figure-text.js';
import { meanOf, meansByName } from '../../../statistics/sums.js';
import { jsonLine } from '../../../storage/json-lines.js';
import { openStore } from '../../../storage/open.js';
import { shownAddress } from '../../../storage/shown-address.js';
import { commandCode } from '../../../user-code/code-runner.js';
import { GradingPool } from '../../../workers/grading-pool.js';
import { readStoredExamples } from '../activities/evolve-data.js';
import { evolveDomain } from '../activities/evolve-domain.js';
import { readExampleFile } from '../activities/evolve-files.js';
import { SavedRuns } from '../activities/run-saved.js';
import { findScaffold, type SavedScaffold } from '../activities/saved-scaffold.js';
import { hasOutput } from '../activities/scaffold-runs.js';
import { type Domain, type DomainScore, scoreOutput } from '../evolution/domains/domain.js';
import { executionLog } from '../evolution/execution-log.js';
import { Slots } from '../evolution/iteration-ports.js';
import type { DatasetExample } from '../evolution/types.js';
import { ownDomainIn } from '../own-domain.js';

const AT_ONCE = 4;
const CALLS_FILE = 'scaffold-calls.jsonl';

interface Options {
  input?: string;
  data: string[];
  scaffold?: string;
  resultsDir: string;
  executorModel?: string;
  domain?: string;
  timeoutSec?: string;
  set: string[];
  calls: string;
  out?: string;
  json?: boolean;
}

/** Outcome of one example. */
interface Ran {
  example: DatasetExample;
  /** Null where the program has no result for reasons that are not its own; `error` has the reason. */
  result: CallResult | null;
  error?: string;
}

function findAsked(named: string, options: Options): Promise<SavedScaffold> {
  const { executorModel: executor_model, domain, timeoutSec: timeout_sec } = options;
  return findScaffold((address) => openStore(address), {
    named,
    id: options.scaffold ?? null,
    results: resolve(options.resultsDir),
    flags: { executor_model, domain, timeout_sec },
    overrides: options.set,
  });
}

/** Reads the rows of files. */
async function examplesOf(
  files: readonly string[],
  domain: Pick<Domain, 'findFault'>,
): Promise<DatasetExample[]> {
  const read = await Promise.all(
    files.map((file) => readExampleFile((address) => openStore(address), resolve(file), '--data', domain)),
  );
  const examples = read.flat();
  if (new Set(examples.map(({ id }) => id)).size < examples.length) {
    throw new InvalidInputError('--data: two files have rows with the same id', 'data');
  }
  return examples;
}

/** Runs a scaffold on examples concurrently. Returns the outcomes in their order. */
async function runAll(
  scaffold: SavedScaffold,
  examples: readonly DatasetExample[],
  { calls }: Options,
): Promise<Ran[]> {
  const { settings } = scaffold;
  const { type } = settings.sandbox;
  if (type === 'process') warnOfProcess(sayText);
  const sandbox = await createSandbox(type, { environment: process.env, say: sayText });
  const folder = await mkdtemp(join(tmpdir(), 'reprise-scaffold-'));
  const interrupted = interruption();
  try {
    await preparedSandbox(() => sandbox.prepare());
    const runs = new SavedRuns(scaffold, {
      sandbox,
      store: openStore(folder),
      callsFile: resolve(calls),
      dependencies: {
        openStore: (address) => openStore(address),
        environment: process.env,
        maxConcurrentCalls: 64,
        grantStarts: (_model, rate) => ownStarts(rate),
        logger: processLogger('error'),
        notify: sayText,
        notices: { listener: () => () => undefined },
      },
    });
    // With limits, each run begins with what the runs before it have left.
    const slots = new Slots(hasCallLimits(settings.limits) ? 1 : AT_ONCE);
    const ran = await Promise.all(
      examples.map((example) =>
        slots.run(async (): Promise<Ran> => {
          try {
            return { example, result: await runs.run(example, interrupted.signal) };
          } catch (error) {
            if (interrupted.signal.aborted) throw error;
            return { example, result: null, error: (error as Error).message };
          }
        }),
      ),
    );
    const lost = ran.filter(({ result }) => result === null).length;
    const failed = ran.length - lost - ran.filter(isWell).length;
    const { lm_calls, cost_usd } = runs.cost;
    const called =
      settings.models.executor === null || lm_calls === 0
        ? ''
        : ` · ${countedText(lm_calls, 'call')} of ${modelNameOf(settings.models.executor)} · ${cost_usd === null ? 'cost unknown' : dollarsText(cost_usd)} · recorded in ${calls}`;
    const without = lost === 0 ? '' : `, ${lost} without a result`;
    sayText(`${countedText(ran.length, 'execution')}, ${failed} failed${without}${called}`);
    return ran;
  } finally {
    interrupted.dispose();
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Converts an outcome to a JSON row. */
function rowOf({ example: { id }, result, error }: Ran): object {
  if (result === null) return { id, output: null, error };
  const { output, status, exit_code, stdout, stderr, seconds } = result;
  return { id, output, status, exit_code, stdout, stderr, seconds };
}

/** Writes the output to standard output; what the program printed, and why it failed, to standard error. */
function tellSingle({ result, error }: Ran): void {
  if (result === null) {
    sayText(`It came to no result: ${error}`);
    return;
  }
  if (result.stdout !== '') sayText(result.stdout.trimEnd());
  const log = executionLog(result);
  if (log.trim() !== '') sayText(log.trimEnd());
  if (hasOutput(result)) writeOut(result.output.endsWith('\n') ? result.output : `${result.output}\n`);
}

const isWell = ({ result }: Ran) => result !== null && hasOutput(result);

async function run(named: string, options: Options): Promise<number> {
  const { input, data, json, out } = options;
  if ((input === undefined) === (data.length === 0)) {
    throw new InvalidInputError('--input: give one input with --input, or files of rows with --data');
  }
  const scaffold = await findAsked(named, options);
  if (input !== undefined) {
    const text = input === '-' ? await readFile('/dev/stdin', 'utf8') : input;
    const [ran] = await runAll(scaffold, [{ id: 'input', input: text, scoring_data: {} }], options);
    if (ran === undefined) return EXIT.failed;
    if (json) printJson(rowOf(ran));
    else tellSingle(ran);
    return isWell(ran) ? EXIT.done : EXIT.failed;
  }
  const all = await runAll(scaffold, await examplesOf(data, { findFault: () => null }), options);
  const lines = all.map((ran) => jsonLine(rowOf(ran))).join('');
  if (out === undefined) writeOut(lines);
  else await writeFile(out, lines);
  return all.every(isWell) ? EXIT.done : EXIT.failed;
}

/** Returns the rows to score: those of files, else the experiment's test data, or its validation data. */
async function scoredExamples(
  { experiment }: SavedScaffold,
  { data }: Options,
  domain: Domain,
): Promise<DatasetExample[]> {
  if (data.length > 0) return examplesOf(data, domain);
  for (const type of ['test', 'valid'] as const) {
    const examples = experiment === null ? [] : await readStoredExamples(experiment, type);
    if (examples.length === 0) continue;
    sayText(`Scoring on the ${countedText(examples.length, 'example')} of data.${type} of its experiment`);
    return examples;
  }
  throw new InvalidInputError(
    '--data: is missing; name a file of JSON lines of id, input and what the scorer needs',
  );
}

interface Scored extends Ran {
  /** Null where there is no score for reasons that are not the scaffold's. */
  scored: DomainScore | null;
}

async function scoreOf(ran: Ran, domain: Domain): Promise<Scored> {
  const { result, example } = ran;
  if (result === null) return { ...ran, scored: null };
  if (!hasOutput(result))
    return { ...ran, scored: { score: 0, message: `The run failed: ${result.status}.` } };
  try {
    return { ...ran, scored: await scoreOutput(domain, result.output, example) };
  } catch (error) {
    return { ...ran, scored: null, error: (error as Error).message };
  }
}

async function score(named: string, options: Options): Promise<number> {
  const scaffold = await findAsked(named, options);
  const { domain: named_domain } = scaffold.settings;
  if (named_domain === undefined) {
    throw new InvalidInputError(
      'domain: is missing; a scaffold outside of its experiment needs --domain',
      'domain',
    );
  }
  const grading = new GradingPool();
  try {
    const domain = await evolveDomain(
      { domain: named_domain },
      {
        ownDomain: (file) => ownDomainIn(commandCode(), file),
        compareSymbolically: grading.compare,
      },
    );
    const all = await runAll(scaffold, await scoredExamples(scaffold, options, domain), options);
    const rows = await Promise.all(all.map((ran) => scoreOf(ran, domain)));
    return await tellScores(scaffold, rows, options);
  } finally {
    await grading.close();
  }
}

async function tellScores(
  scaffold: SavedScaffold,
  rows: readonly Scored[],
  { json, out }: Options,
): Promise<number> {
  const scores = rows.flatMap(({ scored }) => (scored === null ? [] : [scored]));
  const metrics = meansByName(scores.map(({ metrics = {} }) => metrics));
  const mean = scores.length === 0 ? null : meanOf(scores.map((one) => one.score));
  const asRow = (row: Scored) => ({ ...rowOf(row), ...(row.scored ?? { score: null, error: row.error }) });
  if (out !== undefined) await writeFile(out, rows.map((row) => jsonLine(asRow(row))).join(''));
  const unscored = rows.length - scores.length;
  const summary = { scaffold: scaffold.address, examples: rows.length, unscored, score: mean, metrics };
  if (json) printJson({ ...summary, rows: rows.map(asRow) });
  else {
    const shown = rows.map(({ example, scored, error }) => [
      example.id,
      scored === null ? 'none' : scoreText(scored.score),
      scored?.message ?? error ?? '',
    ]);
    printText(headedTable(['example', 'score', 'why'], shown));
    for (const [name, value] of Object.entries(metrics)) printText(`Mean ${name}: ${scoreText(value)}`);
    const left = unscored === 0 ? '' : `; ${unscored} have no score, for reasons that are not the scaffold's`;
    printText(
      `${shownAddress(scaffold.address)}: mean score ${mean === null ? '–' : scoreText(mean)} on ${countedText(rows.length, 'example')}${left}`,
    );
  }
  return unscored === 0 ? EXIT.done : EXIT.failed;
}

export function addScaffoldCommands(program: Command, finish: (code: number) => void): void {
  const group = program
    .command('scaffold')
    .addHelpText('after', examples('reprise scaffold run evolve_game24 --input "4 7 8 8"'));
  const common = (command: Command) =>
    command
      .argument('<scaffold>', 'a scaffold’s folder or scaffold.py; an experiment, for its best one')
      .option('--scaffold <id>', 'another one of the experiment’s scaffolds, such as 2-0')
      .option('--data <file>', 'rows of JSON lines with id and input (repeatable)', collect, [])
      .option('--executor-model <provider/model>', 'whom the program may call, or none (as it was)')
      .option('--timeout-sec <seconds>', 'time of one execution (as it was)')
      .option(
        '--set <field=value>',
        'override a setting, e.g. models.executor.temperature=0 (repeatable)',
        collect,
        [],
      )
      .option('--results-dir <folder>', 'where experiments are looked for by name', 'experiments')
      .option('--calls <file>', 'where calls of the model are recorded, a row each', CALLS_FILE)
      .option('--out <file>', 'write the rows to a file')
      .option('--json', 'for machines');
  common(group.command('run'))
    .addHelpText(
      'after',
      examples('reprise scaffold run evolve_game24 --data puzzles.jsonl --out answers.jsonl'),
    )
    .description('run it in the sandbox, with the model and the limits that it was evolved with')
    .option('--input <text>', 'one input; - reads it from standard input')
    .action(async (named: string, options: Options) => finish(await run(named, options)));
  common(group.command('score'))
    .addHelpText('after', examples('reprise scaffold score evolve_game24 --scaffold 2-0 --data test.jsonl'))
    .description('run it on examples and score what it puts out, as its experiment does')
    .option('--domain <name or file>', 'how outputs are scored (as its experiment does)')
    .action(async (named: string, options: Options) => finish(await score(named, options)));
}
