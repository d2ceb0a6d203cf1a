import type { Sandbox } from '../../sandboxes/sandbox.js';

/** Says in JSON which interpreter runs it, and what is installed for that. Of two versions the one that is imported counts. */
const PROBE = `
import json, sys
from importlib import metadata
packages = {}
for found in metadata.distributions():
    name = found.metadata["Name"]
    if name:
        packages.setdefault(name, found.version)
ordered = dict(sorted(packages.items(), key=lambda package: package[0].lower()))
print(json.dumps({"version": "%d.%d.%d" % sys.version_info[:3], "packages": ordered}))
`;
const LIMITS = { timeout_sec: 60, memory_mb: 512, cpus: 1, pids: 16, output_kb: 500, tmpfs_mb: 16 };

/**
 * What programs find in a sandbox, asked in the sandbox itself; null where the interpreter does not say.
 * @throws SandboxError where nothing can be run there.
 */
export async function installedPython(sandbox: Pick<Sandbox, 'run'>): Promise<SandboxPython | null> {
  const program = { files: { 'probe.py': PROBE }, main: 'probe.py' };
  const { status, stdout } = await sandbox.run(program, { limits: LIMITS });
  if (status !== 'ok') return null;
  try {
    const { version, packages } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as SandboxPython;
    return { version, packages };
  } catch {
    return null;
  }
}
/** The interpreter that runs scaffolds. */
export interface SandboxPython {
  /** Such as `3.13.1`. */
  version: string;
  /** Versions of the installed packages, by their names. */
  packages: Readonly<Record<string, string>>;
}
