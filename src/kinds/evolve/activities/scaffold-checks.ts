import { Context } from '@temporalio/activity';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { modelNameOf } from '../../../config/model-name.js';
import type { AdaptiveLimit } from '../../../language-models/adaptive-limit.js';
import { scaffoldSupport } from '../../../sandboxes/scaffold-support.js';
import type { ProposeScaffoldInput } from '../contracts.js';
import { type CodeSummary, sameAs, summarizeCode } from '../evolution/duplicates.js';
import { MAIN_FILE, type ScaffoldFiles, type ScaffoldMetadata } from '../evolution/types.js';
import type { EvolveContext } from './evolve-context.js';
import { writeScaffold } from './scaffold-files.js';

/** Program that compiles a scaffold and finds its modules, without running any of it: no file can replace `_ast`. */
const COMPILE_CHECK = `
import _ast, sys
names = sys.stdin.read().split("\\n")
trees = {}
for name in names:
    with open(name, "rb") as file:
        source = file.read()
    compile(source, name, "exec", dont_inherit=True)
    trees[name] = [] if b"sys.path" in source else compile(source, name, "exec", _ast.PyCF_ONLY_AST, True).body
imported = ["${MAIN_FILE}"]
for name in imported:
    for node in trees.pop(name, []):
        modules = [one.name for one in node.names] if isinstance(node, _ast.Import) else []
        if isinstance(node, _ast.ImportFrom) and node.level == 0:
            modules = [node.module]
        for root in (module.split(".")[0] for module in modules):
            if root + ".py" in names:
                imported.append(root + ".py")
            elif root not in sys.modules and not any(one.find_spec(root, None) for one in sys.meta_path):
                sys.exit(f"{name} imports {root}, which is neither a file of it nor installed.")
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
          files: { ...files, ...(await scaffoldSupport()), [CHECK_NAME]: COMPILE_CHECK },
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
