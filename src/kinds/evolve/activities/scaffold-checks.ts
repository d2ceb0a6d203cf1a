import { Context } from '@temporalio/activity';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { modelNameOf } from '../../../config/model-name.js';
import type { AdaptiveLimit } from '../../../language-models/adaptive-limit.js';
import type { ProposeScaffoldInput } from '../contracts.js';
import { type CodeSummary, sameAs, summarizeCode } from '../evolution/duplicates.js';
import type { ScaffoldFiles, ScaffoldMetadata } from '../evolution/types.js';
import type { EvolveContext } from './evolve-context.js';
import { writeScaffold } from './scaffold-files.js';

/** Program that compiles every Python file of a scaffold without running any of it. */
const COMPILE_CHECK = `
import sys
for name in sys.stdin.read().split("\\n"):
    with open(name, "rb") as file:
        compile(file.read(), name, "exec", dont_inherit=True)
`;
const CHECK_NAME = 'reprise_compile_check.py';
const CHECK_LIMITS = { timeout_sec: 20, memory_mb: 256, cpus: 1, pids: 16, output_kb: 16, tmpfs_mb: 16 };
/** Maximum characters of a fault in a prompt. */
export const LONGEST_FAULT = 2000;

export type Accepted =
  | ({ ok: true } & CodeSummary)
  /** `fault` is a sentence for the scaffolder. */
  | { ok: false; fault: string; duplicate_of?: string };

/** Accepts scaffolds: checks that they are new and compile, and writes them to their places. */
export class ScaffoldChecks {
  constructor(
    private readonly dependencies: WorkerDependencies,
    private readonly slots: AdaptiveLimit,
  ) {}

  /** Accepts a scaffold. @param createdAt ISO 8601; the same at each repetition. */
  async accept(
    context: EvolveContext,
    { id, iteration, parent, known }: Pick<ProposeScaffoldInput, 'id' | 'iteration' | 'parent' | 'known'>,
    files: ScaffoldFiles,
    createdAt: string,
  ): Promise<Accepted> {
    const summary = summarizeCode(files);
    const twin = Object.entries(known).find(([, other]) => other === summary.fingerprint)?.[0];
    if (twin !== undefined) return { ...refused(sameAs(twin)), duplicate_of: twin };
    const fault = await this.compileFault(context, files);
    if (fault !== null) return refused(fault);
    const { executor } = context.config.models;
    const metadata: ScaffoldMetadata = {
      created_at: createdAt,
      model: executor === null ? null : modelNameOf(executor),
      parent_scaffold_id: parent,
      iteration,
    };
    await writeScaffold(context.store, { iteration, generation: 'new', id }, { files, metadata });
    return { ok: true, ...summary };
  }

  /** Returns Python's error on the files; null where they compile. */
  private async compileFault(context: EvolveContext, files: ScaffoldFiles): Promise<string | null> {
    const { type } = context.config.sandbox;
    const signal = Context.current().cancellationSignal;
    const sandbox = await this.dependencies.sandbox(type);
    const release = await this.slots.acquire(signal);
    try {
      const { status, stderr } = await sandbox.run(
        {
          files: { ...files, [CHECK_NAME]: COMPILE_CHECK },
          main: CHECK_NAME,
          input: Object.keys(files)
            .filter((path) => path.endsWith('.py'))
            .join('\n'),
        },
        { limits: CHECK_LIMITS, signal },
      );
      if (status === 'ok') return null;
      return `The program does not compile: ${stderr.trim().slice(-LONGEST_FAULT) || status}`;
    } finally {
      release('success');
    }
  }
}

function refused(fault: string) {
  return { ok: false as const, fault: fault.slice(0, LONGEST_FAULT) };
}
