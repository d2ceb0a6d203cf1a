import type { Client } from '@temporalio/client';
import { type Command, Option } from 'commander';
import { type StartedWithNotes, startWithNotes } from '../client/start-with-notes.js';
import type { FlagValues } from '../config/flags.js';
import { readConfig, resolveConfig } from '../config/load.js';
import { fieldValue } from '../config/pacing.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import { type Ended, progressAtEnd } from '../facts/kind-facts.js';
import type { CommandOptions, Kind } from '../kinds/kind.js';
import type { LoadedKind } from '../kinds/registry.js';
import { type CarriedOut, carryOut } from './carry-out.js';
import { collect } from './collect.js';
import { leaveToWorkers } from './detach.js';
import { experimentDisplay } from './display.js';
import { examples } from './examples.js';
import { FAIL_ON_ERROR, shareOf } from './exit-code.js';
import { resultText } from './experiment-text.js';

/** An experiment that a command is to start, or to find. */
export interface AskedExperiment extends LoadedKind {
  config: object;
  /** Sentences from the check of its config. */
  notes?: readonly string[];
  json: boolean;
  /** The largest share of errors with which the command succeeds; null: any. */
  maxErrors?: number | null;
  /** The only id that the experiment may continue under. */
  only?: string;
  /** Runs before the experiment is started. */
  before?(client: Client): Promise<void>;
  /** The command that continues the experiment, if not the given one. */
  continuedBy?: string;
}

/** Reads a config from a command line. */
export async function readAsked(
  { kind, command }: LoadedKind,
  argument: string | undefined,
  options: CommandOptions,
): Promise<object> {
  const { set } = options;
  const beside = { flags: flagsOf(kind, options), overrides: command.overrides?.(set) ?? set };
  if (command.asked === undefined) return readConfig(kind.config, argument ?? null, beside);
  const source = { source: 'the command line', folder: process.cwd() };
  const asked = await command.asked(argument ?? '', options);
  return resolveConfig(kind.config, asked, { ...source, ...beside });
}

/** Collects the values of flags, which commander names `resultsDir` for `results_dir`. */
function flagsOf({ config }: Kind, options: CommandOptions): FlagValues {
  return Object.fromEntries(
    Object.entries(config.flags).map(([name, { option }]) => [
      name,
      options[new Option(option).attributeName()],
    ]),
  );
}

/** Starts an experiment, or finds it. @returns also the sentences to print */
async function startAsked(
  { kind, command, config, notes = [], only, before }: AskedExperiment,
  client: Client,
  taskQueue: string,
): Promise<StartedWithNotes> {
  await before?.(client);
  const where = only === undefined ? { taskQueue } : { taskQueue, only };
  return startWithNotes(client, { kind, command }, config, { ...where, notes });
}

/** Returns how much of an experiment is done at once. */
function concurrencyOf({ kind, config }: AskedExperiment): number {
  return fieldValue(config, kind.config.pace.concurrency) as number;
}

/** Describes an experiment for {@link carryOut}. */
export function carriedOut(asked: AskedExperiment): CarriedOut<ExperimentProgress, Ended> {
  const { command, json, continuedBy, maxErrors } = asked;
  const { facts } = asked.kind;
  return {
    facts,
    ...(continuedBy === undefined ? {} : { continuedBy }),
    concurrency: concurrencyOf(asked),
    display: experimentDisplay(json, facts),
    start: (client, taskQueue) => startAsked(asked, client, taskQueue),
    ...(command.asksAtEnd === true ? {} : { lastState: (result) => progressAtEnd(result, facts) }),
    report: (result) => resultText(result, facts),
    json,
    maxErrors: maxErrors ?? null,
  };
}

/** Leaves an experiment to a worker in the background. @returns the exit code */
export function detach(asked: AskedExperiment): Promise<number> {
  const { json } = asked;
  const start = async (client: Client, queue: string) => {
    const { id, how, says } = await startAsked(asked, client, queue);
    return { id, how, notes: says.slice(1) };
  };
  return leaveToWorkers({ concurrency: concurrencyOf(asked), start }, json);
}

/** Adds the command of a kind, which starts its experiments, attaches to them and continues them. */
export function addKindCommand(program: Command, loaded: LoadedKind, finish: (code: number) => void): void {
  const { kind, command: spec } = loaded;
  const { id, flags, example } = kind.config;
  const command = program
    .command(id)
    .argument(...spec.argument)
    .addHelpText('after', examples(...spec.examples));
  for (const { option, description, isRepeatable } of Object.values(flags)) {
    if (isRepeatable) command.option<string[]>(option, description, collect);
    else command.option(option, description);
  }
  for (const option of spec.options ?? []) command.option(...option);
  command
    .option('--set <field=value>', `override a field, e.g. ${example} (repeatable)`, collect, [])
    .option('--detach', 'leave it to a worker in the background and return')
    .option(...FAIL_ON_ERROR)
    .option('--json', 'print the result as JSON, and nothing else')
    .action(async (argument: string | undefined, options: CommandOptions) => {
      const json = options.json === true;
      const maxErrors = shareOf(options.failOnError, options.detach);
      const config = await readAsked(loaded, argument, options);
      const notes = await spec.check(config);
      const carry = (await spec.carry?.(options)) ?? carryOut;
      const asked = { ...loaded, config, notes, json, maxErrors };
      finish(options.detach ? await detach(asked) : await carry(carriedOut(asked)));
    });
}
