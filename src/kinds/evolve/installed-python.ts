import type { Sandbox } from '../../sandboxes/sandbox.js';

/** Program that prints its interpreter and packages as JSON. Of two versions the one that is imported counts. */
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
 * Finds out the Python of a sandbox, by a probe in the sandbox itself; null where the probe fails.
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
/** Interpreter that runs scaffolds. */
export interface SandboxPython {
  /** Version, such as `3.13.1`. */
  version: string;
  /** Versions of the installed packages, by their names. */
  packages: Readonly<Record<string, string>>;
}
