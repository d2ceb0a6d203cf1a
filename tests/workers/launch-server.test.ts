import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../src/workers/free-port.js';
import { startServer } from '../../src/workers/launch-server.js';

/** In the place of the server: writes down which port it was to listen at, and ends at once. */
function program(ends: string): string {
  return `#!/bin/sh
while [ "$1" != --port ]; do shift; done
echo "$2" >>"$(dirname "$0")/ports"
${ends}
`;
}

describe('a server that does not come up', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reprise-launch-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Tries to start it where it was before; answers with the port that it had, and those it was started at. */
  async function portsOf(ends: string, message: RegExp): Promise<{ before: number; ports: number[] }> {
    const binary = join(folder, 'temporal');
    await writeFile(binary, program(ends));
    await chmod(binary, 0o755);
    const [port, ui_port] = [await freePort(), await freePort()];
    const before = { pid: 0, port, ui_port, namespace_id: 'mine' };
    const environment = { REPRISE_TEMPORAL_BIN: binary };
    await expect(startServer({ folder, environment }, before)).rejects.toThrow(message);
    const ports = (await readFile(join(folder, 'ports'), 'utf8')).trim().split('\n').map(Number);
    return { before: port, ports };
  }

  test('is started at other ports, which may have been the reason', async () => {
    const { before, ports } = await portsOf('exit 1', /it ended with exit code 1/);
    expect(ports).toHaveLength(3);
    expect(ports[0]).toBe(before);
    expect(ports.slice(1)).not.toContain(before);
  });

  test('is started where it was before, if somebody killed it', async () => {
    const { before, ports } = await portsOf('kill -9 $$', /it ended with SIGKILL/);
    expect(ports).toEqual([before, before, before]);
  });
});
