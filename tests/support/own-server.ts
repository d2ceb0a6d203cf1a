import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../src/workers/free-port.js';
import { until, type Workplace } from './workplace.js';

/** A Temporal server that is no embedded one of Reprise's. */
export interface OwnServer {
  address: string;
  /** The exit code of a server that ended by itself, and what it said; null while it runs. */
  end(): string | null;
  /** kill -9. */
  stop(): Promise<void>;
}

/** Spawns a development server on 127.0.0.1 and does not wait for it. Set up the binary first: REPRISE_TEMPORAL_BIN. */
export function spawnServer(port: number, options: string[] = []): OwnServer {
  const child = spawn(
    process.env.REPRISE_TEMPORAL_BIN as string,
    [
      ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)],
      ...['--log-level', 'error', ...options],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  const gone = once(child, 'exit');
  return {
    address: `127.0.0.1:${port}`,
    end: () => (child.exitCode === null ? null : `${child.exitCode}: ${said}`),
    stop: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Whether a server takes requests already. @throws where it has ended. */
export async function answers(place: Workplace, server: OwnServer): Promise<boolean> {
  const end = server.end();
  if (end !== null) throw new Error(`the server ended with ${end}`);
  const health = ['operator', 'cluster', 'health', '--address', server.address];
  const { code } = await place.startProgram(process.env.REPRISE_TEMPORAL_BIN as string, health).done;
  return code === 0;
}

/** Starts a server for a workplace, whose commands then use it, and waits until it answers. */
export async function startServerFor(place: Workplace, options: string[]): Promise<OwnServer> {
  const server = spawnServer(await freePort(), options);
  place.environment.TEMPORAL_ADDRESS = server.address;
  await until('the server answers', () => answers(place, server));
  return server;
}

/** A server's dynamic config, as options. */
export function dynamicConfig(settings: Record<string, string | number | boolean>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['--dynamic-config-value', `${name}=${value}`]);
}
