import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface MockStatistics {
  calls: number;
  /** Requests whose idempotency key, or whole body, was seen before. */
  repeated: number;
  in_flight: number;
  most_in_flight: number;
}

/** The mock server, in its own process. */
export interface Mock {
  pid: number;
  baseUrl: string;
  /** Sets the latency of every further reply, in milliseconds, and counts from 0 again. */
  reset(latency: number, options?: { jitter?: boolean }): Promise<void>;
  statistics(): Promise<MockStatistics>;
  close(): Promise<void>;
}

export async function startMock(): Promise<Mock> {
  const jiti = fileURLToPath(import.meta.resolve('jiti/package.json')).replace(/package\.json$/, '');
  const child = spawn(
    process.execPath,
    [`${jiti}lib/jiti-cli.mjs`, fileURLToPath(new URL('./mock-openai.ts', import.meta.url))],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => String(text)),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the mock server ended with ${code}`))),
  ]);
  const { base_url: baseUrl } = JSON.parse(line) as { base_url: string };
  const { origin } = new URL(baseUrl);
  return {
    pid: child.pid as number,
    baseUrl,
    reset: async (latency, { jitter = false } = {}) => {
      await fetch(`${origin}/reset?latency_ms=${latency}${jitter ? '&jitter=1' : ''}`, { method: 'POST' });
    },
    statistics: async () => (await (await fetch(`${origin}/stats`)).json()) as MockStatistics,
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
