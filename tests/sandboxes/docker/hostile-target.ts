import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DockerSandbox, dockerSandbox } from '../../../src/sandboxes/docker-sandbox.js';
import { DECEITS, ESCAPES, EXHAUSTION, type HostileCase } from '../hostile/cases.js';

/** A key that the worker has, in its own environment and in the one that the sandbox is handed. */
export const SECRET = 'sk-this-is-nobodys-business';

/** What hostile programs may go for: a sandbox whose worker has a key, and a port of the host. */
export interface HostileTarget {
  sandbox: DockerSandbox;
  port: number;
  /** Connections that have reached the port. */
  connections: number;
}

/** A target for the tests of the suite that calls this; it is there once they run. */
export function hostileTarget(environment: Record<string, string>): HostileTarget {
  const target = { port: 0, connections: 0 } as HostileTarget;
  const server = createServer((socket) => {
    target.connections += 1;
    socket.destroy();
  });

  beforeAll(async () => {
    process.env.REPRISE_TEST_API_KEY = SECRET;
    target.sandbox = dockerSandbox({
      environment: { ...environment, REPRISE_TEST_API_KEY: SECRET },
      warm: false,
    });
    await target.sandbox.prepare();
    await new Promise<void>((resolve) => server.listen(0, resolve));
    target.port = (server.address() as { port: number }).port;
  });

  afterAll(async () => {
    delete process.env.REPRISE_TEST_API_KEY;
    server.close();
    await target.sandbox?.close();
  });

  return target;
}

/** The whole battery, a test a program. */
export function describeBattery(
  target: HostileTarget,
  contains: (hostile: HostileCase) => Promise<void>,
): void {
  describe('that takes what there is is stopped:', () => {
    for (const hostile of EXHAUSTION) test(hostile.name, () => contains(hostile));
  });

  describe('that reaches out of its container meets a wall:', () => {
    for (const hostile of ESCAPES) test(hostile.name, () => contains(hostile));

    test('no connection has reached the host', () => {
      expect(target.connections).toBe(0);
    });
  });

  describe('that lies about its end is seen through:', () => {
    for (const hostile of DECEITS) test(hostile.name, () => contains(hostile));
  });
}
