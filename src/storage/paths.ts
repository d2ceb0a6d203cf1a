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

const PARTS = 'parts';
const EXECUTIONS = 'executions';
const JOURNAL = 'journal';
const EMBEDDINGS = 'embeddings';
const PENDING = 'pending';
const DATASET = 'dataset';
const ROWS = 'rows';
const ROLLOUTS = 'rollouts';

// Padding makes keys sort as their numbers do; a larger number only loses its place in the order, not its key.
const SHARD_DIGITS = 5;
const SEQUENCE_DIGITS = 6;
const CHUNK_DIGITS = 6;
const ROLLOUT_DIGITS = 4;

/** How the run is dealt to its shards. */
export function planKey(): string {
  return 'plan.json';
}

/**
 * The rows a shard wrote at once; a retried write of the same rows lands on the same key.
 * @param by the shard's own execution, since one that was reset counts from an earlier number and writes other rows;
 *   absent where there is no shard.
 */
export function partKey(execution: string, shard: number, sequence: number, by?: string): string {
  const name = `${padded(shard, SHARD_DIGITS)}-${padded(sequence, SEQUENCE_DIGITS)}`;
  return `${partsPrefix(execution)}${name}${by === undefined ? '' : `-${segment(by)}`}.jsonl`;
}

/** Lists every part of an execution, in order of shard and sequence. */
export function partsPrefix(execution: string): string {
  return `${PARTS}/${segment(execution)}/`;
}

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

/** An environment's answer to a call's reply that came later than the reply, under the same hash. */
export function stepAnswerKey(key: string): string {
  return `${stepAnswersPrefix()}${segment(key.slice(0, 2))}/${segment(key)}.json`;
}

/** Lists the late answers of environments. */
export function stepAnswersPrefix(): string {
  return 'answers/';
}

/** The result of a finished execution, under the hash that identifies it. */
export function executionKey(key: string): string {
  return `${EXECUTIONS}/${segment(key.slice(0, 2))}/${segment(key)}.json`;
}

/** Lists the results of every execution. */
export function executionsPrefix(): string {
  return `${EXECUTIONS}/`;
}

/** Entries of a lane's memory that were written down at once. */
export function journalKey(execution: string, lane: number, sequence: number): string {
  return `${journalPrefix(execution, lane)}${padded(sequence, SEQUENCE_DIGITS)}.json`;
}

/** Lists a lane's journal in order. */
export function journalPrefix(execution: string, lane: number): string {
  return `${JOURNAL}/${segment(execution)}/${padded(lane, SEQUENCE_DIGITS)}/`;
}

/** A run of a scaffold, under the hash that identifies it; kept, because an experiment may be extended. */
export function scaffoldRunKey(key: string): string {
  return `${scaffoldRunsPrefix()}${segment(key.slice(0, 2))}/${segment(key)}.json`;
}

/** Lists every run of a scaffold. */
export function scaffoldRunsPrefix(): string {
  return 'runs/';
}

/** What an evolution's next iteration begins with. */
export function evolveStateKey(iteration: number): string {
  return `state/${iteration}.json`;
}

/** Lists the states after each iteration. */
export function evolveStatesPrefix(): string {
  return 'state/';
}

/** An evolution's own copy of its training, validation or test examples. */
export function evolveExamplesKey(type: 'train' | 'valid' | 'test'): string {
  return `${evolveExamplesPrefix()}${type}.jsonl`;
}

/** Lists the files of an evolution's examples. */
export function evolveExamplesPrefix(): string {
  return 'data/';
}

/** Where a forked evolution came from. */
export function evolveForkKey(): string {
  return 'fork.json';
}

/** The folder of a judgement of an experiment's trajectories, within the experiment's. */
export function judgementPrefix(name: string): string {
  return `judged/${segment(name)}`;
}

/** Some of the trajectories that are being judged, one a row. */
export function judgedChunkKey(chunk: number): string {
  return `${judgedChunksFolder()}/${padded(chunk, CHUNK_DIGITS)}.jsonl`;
}

/** Holds the trajectories while they are judged. */
export function judgedChunksFolder(): string {
  return 'episodes';
}

/** Why a step could not be judged. */
export function judgeErrorKey(trajectory: number, step: number): string {
  return `${judgeErrorsPrefix()}${padded(trajectory, CHUNK_DIGITS)}/${padded(step, SEQUENCE_DIGITS)}.json`;
}

/** Lists why steps could not be judged. */
export function judgeErrorsPrefix(): string {
  return 'errors/';
}

/** The step that {@link judgeErrorKey} names. */
export function judgedStepOf(errorKey: string): { trajectory: number; step: number } {
  const [trajectory = '', step = ''] = errorKey.slice(judgeErrorsPrefix().length).split('/');
  return { trajectory: Number.parseInt(trajectory, 10), step: Number.parseInt(step, 10) };
}

/** Names an execution that may write to the folder; of several the one with the highest number. */
export function ownerKey(number: number): string {
  return `${ownersPrefix()}${padded(number, SEQUENCE_DIGITS)}.json`;
}

/** The number in an {@link ownerKey}; 0 for other keys. */
export function ownerNumber(key: string): number {
  return Number(/^owners\/(\d+)\.json$/.exec(key)?.[1] ?? 0);
}

/** An owner's last sign of life. */
export function ownerSignKey(number: number): string {
  return `${ownersPrefix()}${padded(number, SEQUENCE_DIGITS)}-sign`;
}

/** An owner has written its last. */
export function ownerEndedKey(number: number): string {
  return `${ownersPrefix()}${padded(number, SEQUENCE_DIGITS)}-ended.json`;
}

/** Lists what says whose a folder is. */
export function ownersPrefix(): string {
  return 'owners/';
}

/** What one request for vectors has cost. */
export function paidEmbeddingKey(id: string): string {
  return `${paidEmbeddingsPrefix()}${segment(id)}.json`;
}

/** Lists what every request for vectors has cost. */
export function paidEmbeddingsPrefix(): string {
  return `${EMBEDDINGS}/`;
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

/** The folder of a model's vectors, shared by the runs of a results folder. Lies beside the experiments' folders. */
export function vectorCachePrefix(model: string): string {
  return `.cache/vectors/${segment(model)}`;
}

/** Lists the journals of every execution. */
export function everyJournalPrefix(): string {
  return `${JOURNAL}/`;
}

/** The tasks of one chunk of the dataset, a task a row. */
export function taskChunkKey(chunk: number): string {
  return `${DATASET}/${padded(chunk, CHUNK_DIGITS)}.jsonl`;
}

/** An evaluation's own copy of a bundle's row, with its seed. */
export function bundleRowKey(id: string): string {
  return `${ROWS}/${segment(id)}.json`;
}

/** The user's own modules as an experiment found them. */
export function codeKey(): string {
  return 'code.json';
}

/** What a rollout came to. */
export function rolloutResultKey(row: string, rollout: number): string {
  return `${rolloutsFolder()}/${segment(row)}/${padded(rollout, ROLLOUT_DIGITS)}.json`;
}

/** Where the results of rollouts lie until an evaluation is done. */
export function rolloutsFolder(): string {
  return ROLLOUTS;
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

function padded(value: number, digits: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no sequence number`);
  return String(value).padStart(digits, '0');
}

function segment(value: string): string {
  checkKey('an experiment folder', value);
  if (value.includes('/')) throw new RangeError(`${JSON.stringify(value)} is more than one path segment`);
  return value;
}

/** Log lines that one worker wrote at once; the end of the run merges them by time. */
export function logPartKey(worker: string, part: number): string {
  return `${logPartsPrefix()}${segment(worker)}-${padded(part, SEQUENCE_DIGITS)}.jsonl`;
}

/** Lists every log part of an experiment. */
export function logPartsPrefix(): string {
  return 'logs/';
}

/** Lists the parts of every execution. */
export function everyPartPrefix(): string {
  return `${PARTS}/`;
}

/** A reply that runs of one results folder share, by the hash of its prompt. Lies beside the experiments' folders. */
export function cachedReplyKey(promptKey: string): string {
  return `.cache/${promptKey.slice(0, 2)}/${segment(promptKey)}.json`;
}

/** What `reprise score` writes. */
export const rescoredKeys = { metrics: 'rescored/metrics.json', results: 'rescored/results.jsonl' } as const;
