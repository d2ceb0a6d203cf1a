import type { z } from 'zod';
import type { Flag } from './flags.js';
import type { SchemaNode } from './json-schema.js';
import type { LanguageModelConfig } from './language-model-schema.js';
import type { Pace } from './pacing.js';

/** A config as somebody writes it: no schema has looked at it yet. */
export type Written = Record<string, unknown>;

/** What paths of a config are relative to. */
export interface Folders {
  /** Holds the YAML. */
  config: string;
  working: string;
  /** Whether the config gives `output.results_dir`. */
  resultsGiven: boolean;
}

/** What a kind of experiment is called, and how a config of it is told from others. */
export interface KindNames {
  /** Names the command that starts it, is the type of its workflow, and is `kind` in its metrics. */
  id: string;
  /** Says in a message what it is, such as `a run`. */
  noun: string;
  /** Tells by the sections that no other kind has whether a config is of this one. */
  recognises(raw: Written): boolean;
}

/** Describes the configs of one kind of experiment to the pipeline that reads all of them (`config/load.ts`). */
export interface ConfigKind<Config extends object = object> extends KindNames {
  /** Names the sections to whoever hands in something else. */
  sections: string;
  /** Shows how an assignment is written, such as `runtime.num_trials=3`. */
  example: string;
  /** Says which field its rows come from. */
  rows: string;
  /** Names what is in flight when it is stopped, such as `episodes`. */
  inFlight: string;
  /** Names what its concurrency counts, such as `lanes`. */
  atOnce: string;
  flags: Readonly<Record<string, Flag>>;
  /** Lets `--set` take what the flags are called, such as `num_iterations=8`, for the fields that they stand for. */
  setsFlags?: boolean;
  /** Writes out what may be said in a word. May be repeated. @param folder what the files that it names are relative to */
  writeOut?(raw: Written, folder: string): Written;
  /** Fills in what may be left out where a schema cannot: what depends on other fields, or on the environment. */
  fillIn?(raw: Written, where: Pick<Folders, 'working'> & { environment: NodeJS.ProcessEnv }): Written;
  schema(raw: Written): z.ZodObject;
  /** Describes a config as it is written, with its short forms. Editors complete YAML from it. */
  jsonSchema(): SchemaNode;
  /** Checks what a schema cannot, makes every path absolute and reads the texts that are in files. */
  finish(config: Config, folders: Folders): Config;
  /** Its models by their sections, such as `agent.lm`. */
  models(config: Config): Readonly<Record<string, LanguageModelConfig>>;
  /** Names a config that has no name, and no file. */
  nameOf?(config: Config): string;
  /** Answers with the config that one without a file changes, where it says so; null: with none. */
  begunWith?(asked: Written, working: string): Promise<{ value: unknown; source: string } | null>;
  /** Names fields of a start that stand beside `config_path`, or, with `begunWith`, in place of it. */
  beside?: readonly string[];
  pace: Pace;
  /** Tells of a config that its units come one after another, so that its concurrency means nothing. */
  oneByOne?(config: Config): boolean;
  /** Answers with a config as it is compared with an earlier one. */
  compared?(config: Config, earlier: Config): Config;
}
