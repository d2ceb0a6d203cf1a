import type { ExecutionResult } from '../../../src/contracts/execution.js';
import type { ScaffoldFiles } from '../../../src/kinds/evolve/evolution/types.js';
import { type HostileCase, hostileProgram } from './cases.js';

/** What a hostile scaffold returns, where its program ends by itself and leaves the process alive. */
export const RETURNED = 'went through';

/** A scaffold that does what the hostile program does, and returns if that ends. */
const WRAPPER = `
def process_input(text):
    import io, sys
    sys.stdin = io.StringIO(text)
    with open("main.py", encoding="utf-8") as file:
        code = compile(file.read(), "main.py", "exec")
    exec(code, {"__name__": "__main__"})
    return "${RETURNED}"
`;

export function hostileScaffold(hostile: HostileCase): ScaffoldFiles {
  return { 'scaffold.py': WRAPPER, ...hostileProgram(hostile).files };
}

/**
 * What a hostile scaffold printed but for what is no escape: of all descriptors it can write to one, which is its own to
 * return by. What it writes there is no whole text.
 */
export function printedByScaffold(
  { name }: HostileCase,
  { stdout }: Pick<ExecutionResult, 'stdout'>,
): string {
  if (name !== 'forged_answers') return stdout;
  return stdout.replace(/^ESCAPED: descriptor \d+\n/m, '').replace('ESCAPED: /proc/self/fd/3\n', '');
}
