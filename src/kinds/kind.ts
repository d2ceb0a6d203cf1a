import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { FolderContents } from '../activities/folder-contents.js';
import type { IsNew } from '../activities/reopen.js';
import type { CreateActivities } from '../activities/traits.js';
import type { CarriedOut } from '../cli/carry-out.js';
import type { Started } from '../client/start.js';
import type { ConfigKind, KindNames, WrittenConfig } from '../config/kind.js';
import type { PaceFields } from '../config/pacing.js';
import type { CallRecord } from '../contracts/language-model.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import type { Ended, KindFacts } from '../facts/kind-facts.js';
import type { Section } from '../reports/page.js';
import type { Report } from '../reports/report.js';
import type { TrialFigure } from '../statistics/comparison.js';
import type { Outcome } from '../statistics/outcomes.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import type { FoundExperiment } from '../storage/experiment-folder.js';
import type { OwnCode } from '../user-code/code-file.js';

/** Adds commands to the program; `finish` takes the exit code of the process. */
export type AddCommands = (program: Command, finish: (code: number) => void) => void;

/** File of commands, loaded when one of them is used. */
export interface CommandFile {
  /** Descriptions of its commands by name, in the order of the help. */
  commands: Readonly<Record<string, string>>;
  load(): Promise<AddCommands>;
}

/** Kind of experiment as the registry lists it: its names are available at once, all else is loaded on demand. */
export interface RegisteredKind extends KindNames {
  kind(): Promise<Kind>;
  /** Description of the command that starts its experiments, which is named by the kind's id. */
  summary: string;
  /** Loads that command. */
  command(): Promise<CommandSpec>;
  activities(): Promise<CreateActivities>;
  /** Loads how its experiments are compared. Absent: they have no rows of results that could be paired. */
  comparison?(): Promise<Comparable>;
  /** Lists the addresses of the experiments that an ended one consists of. Absent: it consists of none. */
  parts?(store: ArtifactStore): Promise<string[]>;
  /** Loads how its experiments are shown in pages. */
  view(): Promise<KindView>;
  /** Further commands that only this kind has. */
  commands?: readonly CommandFile[];
  /** Reports whether a folder is an input of its experiments, such as a bundle: no place for results. */
  reads?(folder: string): boolean;
  /** Modules of the package that users' code may import, by import specifier. */
  modules?: Readonly<Record<string, () => Promise<object>>>;
}

/** Kind of experiment, as needed to start, continue and retry its experiments. */
export interface Kind<Config extends object = object> {
  config: ConfigKind<Config>;
  facts: KindFacts;
  /** Counts the results in the folder of an interrupted experiment. */
  held(store: ArtifactStore): Promise<FolderContents>;
  /** Returns an experiment's title in the list of workflows, shown next to the name of its first model. */
  title(config: Config): string;
  /** Lists candidate workflow ids: the first one that is free or belongs to the same experiment is used. */
  ids(config: Config): Iterable<string>;
  find(id: string, config: Config): Promise<FoundExperiment<Config>>;
  /** Reads the inputs that the config names, as a worker does when it prepares the experiment. */
  read?(config: Config): Promise<unknown>;
  /** Finds the user's code that it runs. Absent: there is none. */
  code?(config: Config): Promise<OwnCode>;
  /** Operations for retrying error rows. Absent: its experiments have no rows that can be retried. */
  retry?: Retriable<Config>;
}

/** How the experiments of a kind are compared, sample by sample. */
export interface Comparable<Row extends object = never, Config extends object = never> {
  /** Fields of its configs that do not affect results. */
  pace: PaceFields;
  /** Fields that differ from experiment to experiment unless a config sets them. */
  incidental?: readonly string[];
  /** Returns the figures that make sense for the trials of a sample, the most telling one first. */
  figures(config: Config): readonly TrialFigure[];
  outcomeOf(row: Row): Outcome;
}

/** What is known of a unit of an experiment, such as a sample in a trial. */
export interface ViewedUnit {
  store: ArtifactStore;
  id: string;
  trial: number;
  /** Row of its results; null for one in flight, and of a kind without rows. */
  row: Readonly<Record<string, unknown>> | null;
  calls: readonly CallRecord[];
  executions: readonly Readonly<Record<string, unknown>>[];
  /** Memory of its own at the end, null if it has none; absent where units share one. */
  memory?: unknown;
  /** Returns the address of the page of another unit. */
  hrefOf(id: string, trial?: number): string;
}

/** Row of an experiment in progress. */
export interface LiveRow {
  /** Place in the order of the rows. */
  place: number;
  row: object;
  /** Its calls, where they stand beside it. */
  calls?: readonly CallRecord[];
}

/** How the experiments of a kind are shown in pages. */
export interface KindView<Metrics extends ExperimentMetrics = never, Row extends object = never> {
  /** Singular of what its rows are of, such as `rollout`. */
  unit: string;
  /** File of its rows. Absent: `results.jsonl`. */
  rowsIn?: string;
  outcomeOf(row: Row): Outcome;
  /** Returns the id of the experiment that a unit is, below that of its own; absent: units have pages instead. */
  experimentOf?(unit: Pick<ViewedUnit, 'id' | 'trial'>): string;
  /** Returns the unit to which a call with a sample's id belongs. Absent: that sample. */
  unitOf?(sampleId: string): string;
  /** Returns the page of an ended experiment. */
  report(metrics: Metrics): Report;
  /** Returns sections of an experiment, in progress or ended, that need more than its metrics. */
  sections?(store: ArtifactStore, hrefOf: ViewedUnit['hrefOf']): Promise<Section[]>;
  /** Says where the rows of an experiment in progress are: in objects below a prefix, each written once. */
  liveRows?(store: ArtifactStore): { below: string; read(key: string): Promise<readonly LiveRow[]> };
  /** Lists the units of an experiment in progress, those without a call so far as well. */
  planned?(store: ArtifactStore): AsyncIterable<Pick<ViewedUnit, 'id' | 'trial'>>;
  /** Reports whether a unit in flight waits for a person. */
  waits?(client: Client, experiment: string, unit: Pick<ViewedUnit, 'id' | 'trial'>): Promise<boolean>;
  /** Answers a unit that waits for a person. @throws InvalidInputError if it does not */
  reply?(
    client: Client,
    experiment: string,
    unit: Pick<ViewedUnit, 'id' | 'trial'>,
    text: string,
  ): Promise<void>;
  /** Returns sections of a unit's page, before its conversation. */
  unitSections?(unit: ViewedUnit): Promise<Section[]>;
}

/** Operations for retrying the error rows of a finished experiment. */
export interface Retriable<Config> {
  /** Number of names in an id: 3 for `experiment/judged/name`. */
  levels: number;
  /**
   * Returns a stored config, adapted to the folder it was found in. Absent: results go to the parent of the folder.
   * @param folder absolute, or an address
   */
  foundAt?(stored: WrittenConfig, folder: string): WrittenConfig;
  /** @throws InvalidInputError if the experiment cannot be retried. */
  check?(config: Config, id: string): void;
  /** Reports whether the experiment was made for the rows that its config names now. */
  holdsRows?(store: ArtifactStore, config: Config): Promise<boolean>;
  /** Sets the replies that caused the errors aside, so that new ones are requested. */
  makeRoom(store: ArtifactStore, isNew: IsNew): Promise<void>;
}

/** Options of a command, as parsed by commander. */
export interface CommandOptions extends Record<string, unknown> {
  set: string[];
  detach?: boolean;
  json?: boolean;
  failOnError?: string;
}

/** Command that starts experiments of one kind. `cli/experiment.ts` does everything else. */
export interface CommandSpec<Config extends object = object> {
  /** Name and description, such as `['[config]', 'a YAML file']`. */
  argument: readonly [name: string, description: string];
  /** Command lines that its help shows. */
  examples: readonly [string, ...string[]];
  /** Options in addition to the flags of its config. */
  options?: readonly (readonly [flags: string, description: string])[];
  /** Returns the config that argument and options give, without the flags. Absent: the argument is a config file. */
  asked?(argument: string, options: CommandOptions): Promise<WrittenConfig>;
  /** Selects the assignments of `--set` that apply to the config. Absent: all. */
  overrides?(set: readonly string[]): readonly string[];
  /** Checks all that can be checked before a server is started. @returns notes to print */
  check(config: Config): Promise<readonly string[]>;
  /** Returns lines to print about an experiment that was started or found, before and after the common ones. */
  says?(
    config: Config,
    started: Started<Config>,
  ): Promise<{ before?: readonly string[]; after?: readonly string[] }>;
  /** True if the final state is queried from the workflow, because the result lacks parts of it. */
  asksAtEnd?: true;
  /** Returns a function that carries out the experiment, if the options require more than the default; else null. */
  carry?(
    options: CommandOptions,
  ): Promise<((experiment: CarriedOut<unknown, Ended>) => Promise<number>) | null>;
}
