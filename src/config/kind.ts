import type { z } from 'zod';
import type { Flag } from './flags.js';
import type { SchemaNode } from './json-schema.js';
import type { LanguageModelConfig } from './language-model-schema.js';
import type { ModelRoles } from './model-roles.js';
import type { PaceFields } from './pacing.js';

/** Config as written by its author, before validation. */
export type WrittenConfig = Record<string, unknown>;

/** Folders that paths of a config are relative to. */
export interface Folders {
  /** Folder of the YAML file. */
  config: string;
  working: string;
  /** True if the config gives `output.results_dir`. */
  resultsGiven: boolean;
}

/** Names of a kind of experiment, and how to recognise its configs. */
export interface KindNames {
  /** Name of the command that starts it, of its workflow type, and of `kind` in its metrics. */
  id: string;
  /** Noun for messages, such as `a run`. */
  noun: string;
  /** Reports whether a config is of this kind, by sections that no other kind has. */
  recognises(raw: WrittenConfig): boolean;
}

/** Description of the configs of one kind of experiment for `config/load.ts`, which reads all of them. */
export interface ConfigKind<Config extends object = object> extends KindNames {
  /** Names of its sections, for the message about other input. */
  sections: string;
  /** Example of an assignment, such as `runtime.num_trials=3`. */
  example: string;
  /** Field that its rows come from. */
  rows: string;
  /** Plural noun for what is in flight when it is stopped, such as `episodes`. */
  inFlight: string;
  /** Plural noun for what its concurrency counts, such as `lanes`. */
  atOnce: string;
  flags: Readonly<Record<string, Flag>>;
  models: ModelRoles;
  /** True if `--set` also accepts names of flags, such as `num_iterations=8`, for the fields that they set. */
  setsFlags?: boolean;
  /** Expands short forms, but for those of models; may be applied repeatedly. @param folder base of the relative paths of files */
  writeOut?(raw: WrittenConfig, folder: string): WrittenConfig;
  /** Fills in defaults that a schema cannot: those that depend on other fields, or on the environment. */
  fillIn?(
    raw: WrittenConfig,
    where: Pick<Folders, 'working'> & { environment: NodeJS.ProcessEnv },
  ): WrittenConfig;
  schema(raw: WrittenConfig): z.ZodObject;
  /** Returns the JSON Schema of a config as written, with its short forms. Editors complete YAML from it. */
  jsonSchema(): SchemaNode;
  /** Validates what a schema cannot, makes every path absolute and reads the texts that are in files. */
  finish(config: Config, folders: Folders): Config;
  /** Returns a config's models by their sections, such as `models.user`. */
  modelsOf(config: Config): Readonly<Record<string, LanguageModelConfig>>;
  /** Returns a name for a config that has neither a name nor a file. */
  nameOf?(config: Config): string;
  /** Returns the config that a start without a file changes, such as that of a forked experiment; null: none. */
  begunWith?(asked: WrittenConfig, working: string): Promise<{ value: unknown; source: string } | null>;
  /** Fields of a start that may be given beside `config_path`, or, with `begunWith`, in its place. */
  beside?: readonly string[];
  pace: PaceFields;
  /** Reports whether units of a config run strictly one after another, so that its concurrency has no effect. */
  oneByOne?(config: Config): boolean;
  /** Returns a config in the form that is compared with an earlier one. */
  compared?(config: Config, earlier: Config): Config;
}
