import { createHash } from 'node:crypto';
import { InvalidInputError } from '../config/errors.js';
import { withoutTrailing } from '../contracts/trailing.js';
import { checkKey } from './artifact-store.js';

/**
 * The keys of an experiment's folder. No key may be a `/`-prefix of another: folders, and S3 services that keep
 * objects as files, cannot hold `a` and `a/b` at once.
 */
export const artifactKeys = {
  /** The resolved config, without secrets. */
  config: 'config.yaml',
  /** Totals of the run. */
  metrics: 'metrics.json',
  /** A row a sample and trial. */
  results: 'results.jsonl',
  /** A row a language-model call; what a replay reads. */
  calls: 'calls.jsonl',
  /** A trajectory a row. */
  trajectories: 'trajectories.jsonl',
  /** A row a program that an agent ran. */
  executions: 'executions.jsonl',
  /** The memory that the run began with, where one was loaded. */
  loadedMemory: 'loaded-memory.json',
  /** The vectors of its experiences, where they came with it. */
  loadedVectors: 'loaded-memory.vectors.jsonl',
  /** The vectors of the experiences in `memory.json`, where it retrieves by embeddings. */
  vectors: 'memory.vectors.jsonl',
  /** The memory at the end. */
  memory: 'memory.json',
  /** The page that people read. */
  report: 'report.html',
  /** The run's log, JSON lines. */
  log: 'run.log',
} as const;

const PENDING = 'pending';

/** The reply of a finished call, under the hash that identifies the call. Spread over 256 folders by its first two digits. */
export function callKey(key: string): string {
  if (!/^[0-9a-z_-]{3,128}$/i.test(key)) throw new RangeError(`${JSON.stringify(key)} is no call key`);
  return `${PENDING}/${key.slice(0, 2)}/${key}.json`;
}

/** Lists the replies of every call. */
export function callsPrefix(): string {
  return `${PENDING}/`;
}

/** Says that a model has answered an experiment once. */
export function reachedKey(model: string): string {
  return `${reachedFolder()}/${segment(model)}.json`;
}

/** Where it is noted which models have answered, until an experiment ends. */
export function reachedFolder(): string {
  return 'reached';
}

/** Which error rows of a gone-through experiment are to be asked again. */
export function retryKey(): string {
  return 'retry.json';
}

/** A reply that another one is asked for in the place of, by the hash of its place and by when it came. */
export function setAsideKey(key: string, at: number): string {
  return `${setAsidePrefix()}${segment(key)}-${at}.json`;
}

/** Lists the replies that others were asked for in the place of. */
export function setAsidePrefix(): string {
  return 'set-aside/';
}

/** Names an execution that may write to the folder; of several the one with the highest number. */
export function ownerKey(number: number): string {
  return `${ownersPrefix()}${padded(number)}.json`;
}

/** The number in an {@link ownerKey}; 0 for other keys. */
export function ownerNumber(key: string): number {
  return Number(/^owners\/(\d+)\.json$/.exec(key)?.[1] ?? 0);
}

/** An owner's last sign of life. */
export function ownerSignKey(number: number): string {
  return `${ownersPrefix()}${padded(number)}-sign`;
}

/** An owner has written its last. */
export function ownerEndedKey(number: number): string {
  return `${ownersPrefix()}${padded(number)}-ended.json`;
}

/** Lists what says whose a folder is. */
export function ownersPrefix(): string {
  return 'owners/';
}

/** What earlier executions of an experiment have paid for. */
export function paidCallsKey(): string {
  return `${paidCallsFolder()}/calls.json`;
}

export function paidCallsFolder(): string {
  return 'paid';
}

/** What the requests of an activity have cost whose reply is not kept. */
export function unkeptKey(activity: string): string {
  return `${unkeptPrefix()}${segment(activity)}.json`;
}

/** Lists what all requests have cost whose reply is not kept. */
export function unkeptPrefix(): string {
  return 'unkept/';
}

/** The user's own modules as an experiment found them. */
export function codeKey(): string {
  return 'code.json';
}

const MAXIMUM_NAME_LENGTH = 100;

/**
 * A run's name as the name of its folder: letters, digits, `.`, `_` and `-`, at most 100 characters. Accents are
 * dropped from Latin letters, every other run of characters becomes one `-`. Names that differ in letters of other scripts
 * are told apart by a hash at their end.
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

/** With the dash before it. */
function hashOf(name: string): string {
  return `-${createHash('sha256').update(name.normalize('NFC')).digest('hex').slice(0, 8)}`;
}

/** A number as a part of a key. Padding makes keys sort as their numbers do; a larger one only loses its place in the order. */
export function padded(value: number, digits = 6): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no sequence number`);
  return String(value).padStart(digits, '0');
}

/** A name as one part of a key. @throws RangeError where it is none */
export function segment(value: string): string {
  checkKey('an experiment folder', value);
  if (value.includes('/')) throw new RangeError(`${JSON.stringify(value)} is more than one path segment`);
  return value;
}

/** Log lines that one worker wrote at once; the end of the run merges them by time. */
export function logPartKey(worker: string, part: number): string {
  return `${logPartsPrefix()}${segment(worker)}-${padded(part)}.jsonl`;
}

/** Lists every log part of an experiment. */
export function logPartsPrefix(): string {
  return 'logs/';
}

/** A reply that runs of one results folder share, by the hash of its prompt. Lies beside the experiments' folders. */
export function cachedReplyKey(promptKey: string): string {
  return `.cache/${promptKey.slice(0, 2)}/${segment(promptKey)}.json`;
}

/** An environment's answer to a call's reply that came later than the reply, under the same hash. */
export function stepAnswerKey(key: string): string {
  return `${stepAnswersPrefix()}${segment(key.slice(0, 2))}/${segment(key)}.json`;
}

/** Lists the late answers of environments. */
export function stepAnswersPrefix(): string {
  return 'answers/';
}
