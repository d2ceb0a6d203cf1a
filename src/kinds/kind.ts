import type { Command } from 'commander';
import type { Held } from '../activities/held.js';
import type { IsNew } from '../activities/reopen.js';
import type { CreateActivities } from '../activities/traits.js';
import type { CarriedOut } from '../cli/carry-out.js';
import type { Started } from '../client/start.js';
import type { ConfigKind, KindNames, Written } from '../config/kind.js';
import type { Ended, KindFacts } from '../facts/kind-facts.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import type { Found } from '../storage/experiment-folder.js';
import type { OwnCode } from '../user-code/code-file.js';
import type { AgentSource } from '../workers/bundle.js';

/** Adds commands to the program; `finish` takes the code that the process is to end with. */
export type AddCommands = (program: Command, finish: (code: number) => void) => void;

/** A file of commands, loaded when one of them is asked for. */
export interface CommandFile {
  names: readonly string[];
  load(): Promise<AddCommands>;
}

/** A kind of experiment as the registry lists it: its names at once, all else when it is asked for. */
export interface RegisteredKind extends KindNames {
  kind(): Promise<Kind>;
  /** The command that starts its experiments, which is called what the kind is. */
  command(): Promise<CommandSpec>;
  activities(): Promise<CreateActivities>;
  /** Further commands that only it has. */
  commands?: readonly CommandFile[];
  /** Whether a folder is what experiments of it are about, so that nothing is to be written there. */
  reads?(folder: string): boolean;
  /** Modules of the package that code of users may import, by what they are imported as. */
  modules?: Readonly<Record<string, () => Promise<object>>>;
}

/** Describes one kind of experiment to what starts, continues and asks again experiments of every kind. */
export interface Kind<Config extends object = object> {
  config: ConfigKind<Config>;
  facts: KindFacts;
  /** Counts what a folder holds of one that was cut off. */
  held(store: ArtifactStore): Promise<Held>;
  /** What it is called in the list of workflows, beside the name of its first model. */
  title(config: Config): string;
  /** Ids that its workflow may have: the first one that is free, or is the same experiment's. */
  ids(config: Config): Iterable<string>;
  find(id: string, config: Config): Promise<Found<Config>>;
  /** Reads what the config names, as a worker does that begins with it. */
  read?(config: Config): Promise<unknown>;
  /** The user's own code that it works with; absent: there is none. */
  code?(config: Config): Promise<OwnCode>;
  /** Absent: it has no rows that could be asked again. */
  retry?: Retriable<Config>;
}

/** How the error rows of a finished experiment are asked again. */
export interface Retriable<Config> {
  /** How many names its id has, such as `experiment/judged/name`. */
  levels: number;
  /**
   * Answers with a stored config that means the folder it was found in; absent: its results lie in the folder around it.
   * @param folder absolute, or an address
   */
  foundAt?(stored: Written, folder: string): Written;
  /** @throws InvalidInputError where an experiment cannot be asked again. */
  check?(config: Config, id: string): void;
  /** Whether it was made for the rows that its config names now. */
  holdsRows?(store: ArtifactStore, config: Config): Promise<boolean>;
  /** Makes room for other replies in the place of those that are to blame. */
  makeRoom(store: ArtifactStore, isNew: IsNew): Promise<void>;
}

/** Options of a command, as commander reads them. */
export interface CommandOptions extends Record<string, unknown> {
  set: string[];
  detach?: boolean;
  json?: boolean;
  failOnError?: string;
}

/** Describes the command that starts experiments of one kind. The frame (`cli/experiment.ts`) does all else. */
export interface CommandSpec<Config extends object = object> {
  summary: string;
  /** Name and description, such as `['[config]', 'a YAML file']`. */
  argument: readonly [name: string, description: string];
  /** Options of its own, beside the flags of its config. */
  options?: readonly (readonly [flags: string, description: string])[];
  /** Answers with what the command line says beside its flags; absent: the argument is a config's file. */
  asked?(argument: string, options: CommandOptions): Promise<Written>;
  /** Chooses those assignments of `--set` that are the config's; absent: all. */
  overrides?(set: readonly string[]): readonly string[];
  /** Checks all that can be checked before a server is started. @returns what is to be said of it */
  check(config: Config): Promise<readonly string[]>;
  /** The user's agents, for a worker's bundle. */
  agents?(config: Config): readonly AgentSource[];
  /** What else is said of an experiment that was started or found, before and after what is said of every kind. */
  says?(
    config: Config,
    started: Started<Config>,
  ): Promise<{ before?: readonly string[]; after?: readonly string[] }>;
  /** Whether its workflow knows more of its end than its result says: lines, for one. */
  asksAtEnd?: true;
  /** Carries an experiment out in another way than to its end alone; null: in no other way. */
  carry?(
    options: CommandOptions,
  ): Promise<((experiment: CarriedOut<unknown, Ended>) => Promise<number>) | null>;
}
