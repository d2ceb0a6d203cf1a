import type { ContainerCreateOptions } from 'dockerode';
import { DEADLINE_LABEL, LABEL, LABEL_VALUE, OWNER_LABEL } from './container-owner.js';
import { outputBytes } from './runner-protocol.js';
import type { ExecutionLimits } from './sandbox.js';

/** Folder of the program in the container, and its user there: "nobody", as a number that every image has. */
const FOLDER = '/work';
const USER = 65534;

const MIB = 1024 * 1024;
/**
 * Memory of the runner itself: its interpreter, and room to pack an answer and to pass on a request or a few replies.
 */
const RUNNER_MEMORY_BYTES = 48 * MIB;
const MAXIMUM_FILES = 16_384;
const OPEN_FILES = 1024;

export interface ContainerSettings {
  name: string;
  image: string;
  limits: ExecutionLimits;
  owner: string;
  /** Seconds since 1970. */
  deadline: number;
  /** CPU cores of the daemon's machine, which are the maximum. */
  availableCpus: number;
}

/**
 * Returns the options of a container for one program: no network, no mounts, no capabilities, only a small folder in
 * memory to write to, and a user that exists nowhere else. The folder counts as memory, so it cannot be larger.
 */
export function containerOptions(settings: ContainerSettings): ContainerCreateOptions {
  const { name, image, limits, owner, deadline, availableCpus } = settings;
  const folderBytes = Math.min(limits.tmpfs_mb, limits.memory_mb) * MIB;
  const memory = Math.round(limits.memory_mb * MIB) + RUNNER_MEMORY_BYTES + 3 * outputBytes(limits);
  return {
    name,
    Image: image,
    User: `${USER}:${USER}`,
    WorkingDir: FOLDER,
    // Libraries of mathematics would otherwise begin a thread for each core of the machine, and meet PidsLimit.
    Env: [`OMP_NUM_THREADS=${Math.ceil(limits.cpus)}`],
    Hostname: 'sandbox',
    OpenStdin: true,
    // The runner's standard input ends with the worker's connection, which ends the runner.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    // A daemon that shuts down need not wait for the container.
    StopSignal: 'SIGKILL',
    Healthcheck: { Test: ['NONE'] },
    // In addition to `none` below, so that the daemon need not set up an empty network: see decision 12.
    NetworkDisabled: true,
    Labels: { [LABEL]: LABEL_VALUE, [OWNER_LABEL]: owner, [DEADLINE_LABEL]: String(Math.ceil(deadline)) },
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Tmpfs: { [FOLDER]: tmpfsOptions(folderBytes) },
      // /dev/shm has room for the semaphores of Python's multiprocessing, and little more.
      IpcMode: 'private',
      ShmSize: MIB,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Memory: memory,
      // Memory and swap together: no swap.
      MemorySwap: memory,
      NanoCpus: Math.round(Math.min(limits.cpus, availableCpus) * 1e9),
      // One for the runner.
      PidsLimit: limits.pids + 1,
      Ulimits: [
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES },
        { Name: 'msgqueue', Soft: 0, Hard: 0 },
      ],
      // If the whole machine runs out of memory, the container is killed before the worker.
      OomScoreAdj: 500,
      LogConfig: { Type: 'none', Config: {} },
      RestartPolicy: { Name: 'no' },
    },
  };
}

function tmpfsOptions(bytes: number): string {
  const size = `size=${Math.floor(bytes)},nr_inodes=${MAXIMUM_FILES}`;
  return `rw,noexec,nosuid,nodev,${size},mode=0700,uid=${USER},gid=${USER}`;
}
