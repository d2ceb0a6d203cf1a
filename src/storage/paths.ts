import { createHash } from 'node:crypto';
import { InvalidInputError } from '../config/errors.js';
import { withoutTrailing } from '../contracts/trailing.js';
import { checkKey } from './artifact-store.js';

/**
 * Keys of an experiment's folder. No key may be a `/`-prefix of another: folders, and S3 services that keep objects as
 * files, cannot hold both `a` and `a/b`.
 */
export const artifactKeys = {
  /** The resolved config, without secrets. */
  config: 'config.yaml',
  /** Totals of the run. */
  metrics: 'metrics.json',
  /** A row for each sample and trial. */
  results: 'results.jsonl',
  /** A row for each language-model call; a replay reads it. */
  calls: 'calls.jsonl',
  /** A row for each trajectory. */
  trajectories: 'trajectories.jsonl',
  /** A row for each program that an agent ran. */
  executions: 'executions.jsonl',
  /** The memory with which the run began, where one was loaded. */
  loadedMemory: 'loaded-memory.json',
  /** The vectors of the loaded memory's experiences, where it had any. */
  loadedVectors: 'loaded-memory.vectors.jsonl',
  /** The vectors of the experiences in `memory.json`, where it retrieves by embeddings. */
  vectors: 'memory.vectors.jsonl',
  /** The memory at the end. */
  memory: 'memory.json',
  /** The report page for people. */
  report: 'report.html',
  /** The run's log, JSON lines. */
  log: 'run.log',
} as const;

const PENDING = 'pending';

/** Returns the key of a call's reply: the call's hash. Its first two digits spread replies over 256 folders. */
export function callKey(key: string): string {
  if (!/^[0-9a-z_-]{3,128}$/i.test(key)) throw new RangeError(`${JSON.stringify(key)} is no call key`);
  return `${PENDING}/${key.slice(0, 2)}/${key}.json`;
}

/** Returns the prefix of all calls' replies. */
export function callsPrefix(): string {
  return `${PENDING}/`;
}

/** Returns the key that records a model's first answer. */
export function reachedKey(model: string): string {
  return `${reachedFolder()}/${segment(model)}.json`;
}

/** Returns the folder of {@link reachedKey}, which exists until an experiment ends. */
export function reachedFolder(): string {
  return 'reached';
}

/** Returns the key of the retry of an ended experiment. */
export function retryKey(): string {
  return 'retry.json';
}

/** Returns the key of a reply that a new request replaces, by the hash of its place and its time. */
export function setAsideKey(key: string, at: number): string {
  return `${setAsidePrefix()}${segment(key)}-${at}.json`;
}

/** Returns the prefix of replaced replies. */
export function setAsidePrefix(): string {
  return 'set-aside/';
}

/** Returns the key of an execution that may write to the folder; only the one with the highest number may. */
export function ownerKey(number: number): string {
  return `${ownersPrefix()}${padded(number)}.json`;
}

/** Extracts the number of an {@link ownerKey}; 0 for other keys. */
export function ownerNumber(key: string): number {
  return Number(/^owners\/(\d+)\.json$/.exec(key)?.[1] ?? 0);
}

/** Returns the key of an owner's heartbeat. */
export function ownerSignKey(number: number): string {
  return `${ownersPrefix()}${padded(number)}-sign`;
}

/** Returns the key that marks an owner's end. */
export function ownerEndedKey(number: number): string {
  return `${ownersPrefix()}${padded(number)}-ended.json`;
}

/** Returns the prefix of owners' records. */
export function ownersPrefix(): string {
  return 'owners/';
}

/** Returns the key of earlier executions' paid calls. */
export function paidCallsKey(): string {
  return `${paidCallsFolder()}/calls.json`;
}

function paidCallsFolder(): string {
  return 'paid';
}

/** Returns the key of the cost of an activity's unrecorded requests. */
export function unrecordedKey(activity: string): string {
  return `${unrecordedPrefix()}${segment(activity)}.json`;
}

/** Returns the prefix of the costs of all unrecorded requests. */
export function unrecordedPrefix(): string {
  return 'unrecorded/';
}

/** Returns the key of the viewer's index of rows. */
export function rowIndexKey(): string {
  return `${VIEW}/index.json.gz`;
}

/** Returns the key of what people have noted on an experiment. */
export function notesKey(): string {
  return `${VIEW}/notes.json`;
}

const VIEW = 'view';

/** Returns the key of the user's own modules, as last found. */
export function codeKey(): string {
  return 'code.json';
}

const MAXIMUM_NAME_LENGTH = 100;

/**
 * Converts a run's name to the name of its folder: letters, digits, `.`, `_` and `-`, at most 100 characters. Accents
 * are removed from Latin letters, every other run of characters becomes one `-`. A hash at the end distinguishes names
 * that differ in letters of other scripts.
 * @throws InvalidInputError where a name has no letter or digit.
 */
export function experimentFolderName(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{Mark}/gu, '');
  const written = letters.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '');
  const hash = /(?![\p{ASCII}\p{Script=Latin}])[\p{Letter}\p{Number}]/u.test(letters) ? hashOf(name) : '';
  const safe = withoutTrailing(written.slice(0, MAXIMUM_NAME_LENGTH - hash.length), /[.-]/);
  if (!/[A-Za-z0-9]/.test(safe + hash)) {
    throw new InvalidInputError(
      `name: ${JSON.stringify(name)} leaves nothing for the name of a folder: use at least one letter or digit`,
      'name',
    );
  }
  return /[A-Za-z0-9]/.test(safe) ? `${safe}${hash}` : `experiment${hash}`;
}

/** Includes a dash before it. */
function hashOf(name: string): string {
  return `-${createHash('sha256').update(name.normalize('NFC')).digest('hex').slice(0, 8)}`;
}

/** Formats a number for a key. Padding sorts keys like their numbers, except for larger ones. */
export function padded(value: number, digits = 6): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no sequence number`);
  return String(value).padStart(digits, '0');
}

/** Checks that a name is one part of a key. @throws RangeError where it is not */
export function segment(value: string): string {
  checkKey('an experiment folder', value);
  if (value.includes('/')) throw new RangeError(`${JSON.stringify(value)} is more than one path segment`);
  return value;
}

/** Returns the key of a file of the run's log: 0 the newest lines, 1 those before, and so on. */
export function logKey(file: number): string {
  return file === 0 ? artifactKeys.log : `${artifactKeys.log}.${file}`;
}

/** Returns the key of one batch of a worker's log lines; the end of the run merges them. */
export function logPartKey(worker: string, part: number): string {
  return `${logPartsPrefix()}${segment(worker)}-${padded(part)}.jsonl`;
}

/** Returns the prefix of log parts. */
export function logPartsPrefix(): string {
  return 'logs/';
}

/** Returns the key of a reply that runs of a results folder share, by its prompt's hash, next to their folders. */
export function cachedReplyKey(promptKey: string): string {
  return `.cache/${promptKey.slice(0, 2)}/${segment(promptKey)}.json`;
}

/** Returns the key of an environment's answer that came after the reply, with the reply's hash. */
export function stepAnswerKey(key: string): string {
  return `${stepAnswersPrefix()}${segment(key.slice(0, 2))}/${segment(key)}.json`;
}

/** Returns the prefix of environments' late answers. */
export function stepAnswersPrefix(): string {
  return 'answers/';
}

/** Returns the prefix of the results of agents' programs. */
export function executionsPrefix(): string {
  return 'executions/';
}

/** Returns the prefix of the records of tool calls. */
export function toolCallsPrefix(): string {
  return 'tool-calls/';
}

/** Folders whose small objects may be stored together. */
export const GROUPED_FOLDERS = [callsPrefix(), stepAnswersPrefix(), executionsPrefix(), toolCallsPrefix()];

/** Folders, of any kind of experiment, that only an unfinished one needs. */
export const WORKING_FOLDERS = [
  callsPrefix(),
  unrecordedPrefix(),
  setAsidePrefix(),
  paidCallsFolder(),
  logPartsPrefix(),
];
