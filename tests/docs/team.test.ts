import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Metrics } from '../../src/kinds/run/results.js';
import { openStore } from '../../src/storage/open.js';
import { type OwnServer, startServerFor } from '../support/own-server.js';
import { findVersitygw, mustSkip, type S3Server, startS3Server } from '../support/s3-server.js';
import { COMMAND, until, Workplace } from '../support/workplace.js';
import { documentedCommands } from './markdown.js';

const versitygw = await findVersitygw();

/** The environment that docker-compose.yml gives its workers. */
function composeEnvironment(): Record<string, string | null> {
  const file = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true });
  return file.services.worker.environment;
}

/**
 * The services of docker-compose.yml as plain processes on this machine, with the workers' environment from that
 * file: what is left untried of it is the images and PostgreSQL.
 */
describe.skipIf(mustSkip(versitygw))('the services of a team, without their containers', () => {
  let place: Workplace;
  let s3: S3Server;
  let environment: Record<string, string>;
  let server: OwnServer;

  beforeAll(async () => {
    s3 = await startS3Server();
    place = await Workplace.make();
    server = await startServerFor(place, []);
    const here: Record<string, string> = {
      ...s3.environment,
      TEMPORAL_ADDRESS: server.address,
      S3_ENDPOINT: s3.endpoint,
    };
    // The same variables, with addresses and accounts of this machine.
    environment = Object.fromEntries(
      Object.entries(composeEnvironment()).flatMap(([name, value]) =>
        value === null ? [] : [[name, here[name] ?? value]],
      ),
    );
  });

  afterAll(async () => {
    await place?.dispose();
    await server?.stop();
    await s3?.stop();
  });

  /** A line as it is documented for a container, run here. */
  async function inContainer(line: string): Promise<string> {
    expect(documentedCommands().map(({ command }) => command)).toContain(line);
    const command = line.replace(
      'docker compose exec worker reprise',
      `exec '${process.execPath}' '${COMMAND}'`,
    );
    expect(command).not.toBe(line);
    const inside = command.replace(' configs/', ` ${resolve('configs')}/`);
    const outcome = await place.startProgram('/bin/sh', ['-c', inside], environment).done;
    expect(outcome.code, outcome.stdout + outcome.stderr).toBe(0);
    return outcome.stdout + outcome.stderr;
  }

  test('are set up once, and then run what is given to them, with results in S3', async () => {
    const setup = [
      [resolve('docker/create-bucket.mjs'), 'reprise'],
      [COMMAND, 'setup'],
    ];
    for (const args of setup) {
      const outcome = await place.startProgram(process.execPath, args, environment).done;
      expect(outcome.code, outcome.stderr).toBe(0);
    }
    const workers = await Promise.all([place.worker(environment), place.worker(environment)]);

    const started = await inContainer(
      'docker compose exec worker reprise run configs/toy_inmemory.yaml --results-dir s3://reprise/results --detach',
    );
    expect(started).toContain('Temporal UI: http://127.0.0.1:8080');

    const store = openStore('s3://reprise/results/toy_inmemory', { environment: s3.environment });
    await until('the metrics are in S3', () => store.exists('metrics.json'));
    const metrics = JSON.parse((await store.readText('metrics.json')) ?? '') as Metrics;
    expect(metrics).toMatchObject({ status: 'done', samples: 4, errors: 0 });

    expect(await inContainer('docker compose exec worker reprise status')).toMatch(
      /toy_inmemory.*simulated\/toy/,
    );
    for (const worker of workers) {
      worker.process.kill('SIGTERM');
      expect((await worker.done).code).toBe(0);
    }
  });
});
