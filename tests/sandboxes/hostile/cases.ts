import { readFileSync } from 'node:fs';
import type { ExecutionStatus } from '../../../src/contracts/execution.js';
import type { ExecutionLimits, Program } from '../../../src/sandboxes/sandbox.js';

/** A hostile program, and how it ends where it is contained. None may ever print ESCAPED. */
export interface HostileCase {
  /** The program: `tests/sandboxes/hostile/<name>.py`. Its first comment says what it tries. */
  name: string;
  status: ExecutionStatus;
  exitCode: number | null;
  /** The whole standard output, or what it must match. */
  stdout?: string | RegExp;
  stderr?: string | RegExp;
  /** How many attempts it makes; each must say `contained`. */
  attempts?: number;
  truncated?: boolean;
  limits?: Partial<ExecutionLimits>;
  /** Further files. */
  modules?: Record<string, string>;
  /** For programs that never end by themselves; others get time enough. */
  timeoutSec?: number;
}

const text = (name: string) => readFileSync(new URL(`${name}.py`, import.meta.url), 'utf8');

export function hostileProgram({ name, modules = {} }: HostileCase, input = ''): Program {
  return { files: { 'main.py': text(name), ...modules }, main: 'main.py', input };
}

const OK = { status: 'ok', exitCode: 0 } as const;
const FAILED = { status: 'error', exitCode: 1 } as const;
const TIMEOUT = { status: 'timeout', exitCode: null, timeoutSec: 1 } as const;
const NO_MEMORY = { status: 'out_of_memory', exitCode: null } as const;
const TOO_MUCH = { status: 'output_limit', exitCode: null, truncated: true } as const;
const SIGNALLED = { status: 'error', exitCode: null } as const;

/** Takes what the machine has. */
export const EXHAUSTION: HostileCase[] = [
  { name: 'fork_bomb', ...TIMEOUT },
  { name: 'busy_processes', ...TIMEOUT },
  { name: 'memory_hog', ...NO_MEMORY },
  { name: 'memory_of_children', ...TIMEOUT },
  { name: 'pipe_filler', ...FAILED, stderr: /Too many open files|Cannot allocate memory/ },
  { name: 'disk_filler', ...OK, stdout: /^1[56] MiB: No space left on device\n2 files\n$/ },
  { name: 'inode_filler', ...OK, stdout: 'contained: No space left on device\n' },
  { name: 'shared_memory_filler', ...OK, stdout: 'contained: No space left on device\n' },
  { name: 'endless_stdout', ...TOO_MUCH, stdout: /^(a line on standard output\n)+/ },
  { name: 'endless_stderr', ...TOO_MUCH, stderr: /^(a line on standard error\n)+/ },
  { name: 'endless_output_of_children', ...TOO_MUCH },
  { name: 'huge_line', ...TOO_MUCH, stdout: 'x'.repeat(64_000) },
  { name: 'endless_loop', ...TIMEOUT, stdout: 'started\n' },
  { name: 'endless_sleep', ...TIMEOUT, stdout: 'started\n' },
  { name: 'ignores_signals', ...TIMEOUT, stdout: 'started\n' },
  { name: 'stops_itself', ...TIMEOUT },
  { name: 'thousands_of_threads', ...FAILED, stderr: /can't start new thread/ },
  { name: 'open_files', ...FAILED, stderr: /Too many open files/ },
  { name: 'deep_recursion', ...FAILED, stderr: /RecursionError/ },
  { name: 'zip_bomb', ...FAILED, stdout: 'True\n', stderr: /No space left on device/ },
  { name: 'decompression_bomb', ...NO_MEMORY },
  { name: 'orphan_stream', ...OK, stdout: 'made 200 orphans\n' },
  { name: 'syncs_disks', ...OK, attempts: 1 },
];

/** Looks and reaches out of the container. */
export const ESCAPES: HostileCase[] = [
  { name: 'connects_out', ...OK, attempts: 7 },
  { name: 'resolves_names', ...OK, attempts: 3 },
  { name: 'metadata_address', ...OK, attempts: 3 },
  { name: 'other_sockets', ...OK, attempts: 6, stdout: /\[\(1, 'lo'\)\]\n$/ },
  { name: 'looks_into_runner', ...OK, attempts: 16, stdout: /opt\/reprise/ },
  { name: 'traces_runner', ...OK, attempts: 7 },
  { name: 'reads_shadow', ...OK, stdout: /contained: \/etc\/shadow/ },
  { name: 'docker_socket', ...OK, attempts: 4 },
  { name: 'environment', ...OK, attempts: 1 },
  { name: 'writes_everywhere', ...OK, stdout: "['/dev/shm', '/work']\n" },
  { name: 'writes_to_proc', ...OK, stdout: /contained: \/proc\/sysrq-trigger/ },
  { name: 'gains_rights', ...OK, attempts: 20 },
  { name: 'raises_limits', ...OK, attempts: 3 },
  { name: 'runs_own_binary', ...OK, attempts: 1 },
  { name: 'symlinks', ...OK, attempts: 6 },
];

/** Lies about its end, or attacks the runner that tells it. */
export const DECEITS: HostileCase[] = [
  { name: 'forged_answers', status: 'error', exitCode: 3 },
  { name: 'signals_runner', ...OK, stdout: 'still here\n' },
  { name: 'starves_runner', ...OK, attempts: 13 },
  {
    name: 'invalid_utf8',
    ...OK,
    stdout: 'before \ufffd\ufffd\ufffd \ufffd after \u{1f600}\n',
    stderr: '\ufffd',
  },
  { name: 'nul_bytes', ...OK, stdout: 'a\0b\0\0c\n', stderr: '\0' },
  { name: 'control_characters', ...OK, stdout: '\ufeff\x1b[2J\x07\u2028\u2029\r\n\x7f\u0085\n' },
  { name: 'closes_streams', ...OK, stdout: 'last words\n', stderr: '' },
  { name: 'closes_streams_and_stays', ...TIMEOUT },
  { name: 'exits_silently', ...OK, stdout: '', stderr: '' },
  { name: 'kills_itself', ...SIGNALLED, stdout: 'before\n' },
  { name: 'exits_with_text', ...FAILED, stdout: '', stderr: 'no luck today\n' },
  { name: 'exits_with_137', status: 'error', exitCode: 137 },
  { name: 'exits_with_256', ...OK },
  { name: 'aborts', ...SIGNALLED },
  { name: 'crash', ...SIGNALLED, stdout: 'before\n' },
  { name: 'raises_memory_error', ...FAILED, stderr: /MemoryError\n$/ },
  { name: 'background_daemon', ...OK, stdout: 'the parent is done\n' },
  { name: 'background_writer', ...OK, stdout: 'the parent is done\n' },
  { name: 'import_side_effect', ...TIMEOUT, modules: { 'harmless_helper.py': text('harmless_helper') } },
  {
    name: 'shadows_library',
    ...OK,
    stdout: 'json signal\n',
    modules: { 'json.py': 'planted = "json"\n', 'signal.py': 'planted = "signal"\n' },
  },
  { name: 'destroys_its_folder', ...OK, stdout: 'gone\n' },
];
