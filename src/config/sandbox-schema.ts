import { z } from 'zod';

export const SANDBOX_TYPES = ['docker', 'process'] as const;

/**
 * Sandbox for code that a model wrote, and limits of one program. `sandbox: process` is short for `{type: process}`.
 */
export const sandboxSchema = z
  .strictObject({
    type: z
      .enum(SANDBOX_TYPES)
      .default('docker')
      .describe(
        'docker: a container without network. process: this machine’s python3, for trusted code only.',
      ),
    memory_mb: z.int().min(32).max(1_000_000).default(512).describe('Megabytes of memory.'),
    cpus: z.number().positive().max(1024).default(1).describe('CPU cores.'),
    pids: z.int().min(8).max(100_000).default(64).describe('Processes and threads together.'),
    output_kb: z
      .int()
      .positive()
      .max(10_000)
      .default(64)
      .describe('Kilobytes of output kept of each stream.'),
    tmpfs_mb: z.int().positive().max(100_000).default(64).describe('Megabytes of the writable folder.'),
  })
  .prefault({});

export type SandboxType = (typeof SANDBOX_TYPES)[number];
export type SandboxConfig = z.output<typeof sandboxSchema>;
