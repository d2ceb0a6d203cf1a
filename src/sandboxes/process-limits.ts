import type { ExecutionLimits } from './sandbox.js';

const MIB = 1024 * 1024;

/**
 * Script for `python3 -c BOOTSTRAP MEMORY CPU_SEC FILE PIDS CPUS MAIN …`: limits itself, removes what version managers
 * add to the environment, and becomes the program. Memory is what a process may write to, which only Linux limits, and
 * in which the stacks count that threads reserve and hardly use: these have as much room again, at most. SIGXCPU ends it
 * at its CPU time, a second before the kernel's SIGKILL, which would look like one from outside. Libraries of
 * mathematics would otherwise begin a thread for each core of the machine.
 */
const BOOTSTRAP = `
import os, resource, sys
memory, seconds, file, pids, cpus = map(int, sys.argv[1:6])
stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
stacks = pids * (stack if stack != resource.RLIM_INFINITY else 8 << 20)
for name, limit, more in (("DATA", memory + min(memory, stacks), 0), ("CPU", seconds, 1), ("FSIZE", file, 0), ("CORE", 0, 0)):
    number = getattr(resource, "RLIMIT_" + name)
    most = resource.getrlimit(number)[1]
    hard = limit + more if most == resource.RLIM_INFINITY else min(limit + more, most)
    try:
        resource.setrlimit(number, (min(limit, hard), hard))
    except (OSError, ValueError):
        pass
kept = ("PATH", "HOME", "TMPDIR", "LANG", "PYTHONHASHSEED", "REPRISE_MODEL_SOCKET")
environment = {name: os.environ[name] for name in kept if name in os.environ}
environment["OMP_NUM_THREADS"] = str(cpus)
os.execve(sys.executable, [sys.executable, "-u", "-B", "-X", "utf8", *sys.argv[6:]], environment)
`;

/**
 * Returns the interpreter's arguments that run a program (with its arguments) under limits. Memory and CPU time are per
 * process.
 */
export function interpreterArguments(program: string[], limits: ExecutionLimits): string[] {
  const memory = Math.round(limits.memory_mb * MIB);
  const cpuSeconds = Math.ceil(limits.timeout_sec * Math.max(1, limits.cpus)) + 1;
  const file = Math.round(limits.tmpfs_mb * MIB);
  const numbers = [memory, cpuSeconds, file, limits.pids, Math.ceil(limits.cpus)];
  return ['-I', '-S', '-c', BOOTSTRAP, ...numbers.map(String), ...program];
}

/** Reports whether the interpreter ended because it got no more memory. */
export function diedOfMemory(exitCode: number | null, stderr: string): boolean {
  return exitCode !== null && exitCode !== 0 && /(^|\n)MemoryError\b[^\n]*(?:\n\s*)?$/.test(stderr);
}
