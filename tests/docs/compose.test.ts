import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TEMPORAL_CLI_VERSION } from '../../src/workers/temporal-binary.js';
import { findVersitygw, mustSkip, startS3Server } from '../support/s3-server.js';
import { VERSITYGW_VERSION } from '../support/versitygw.js';
import { findCompose, mustSkipCompose } from './docker-compose.js';

const run = promisify(execFile);

interface Service {
  image?: string;
  build?: string;
  ports?: string[];
  environment?: Record<string, string | null>;
  depends_on?: Record<string, { condition: string }>;
}

const text = readFileSync('docker-compose.yml', 'utf8');
const file = parse(text, { merge: true }) as { services: Record<string, Service> };
const services = Object.entries(file.services);
/** Variables of `.env.example`: those to fill in, and those in comments. */
const example = readFileSync('.env.example', 'utf8');
const REQUIRED = [...example.matchAll(/^([A-Z_0-9]+)=/gm)].map(([, name]) => name as string);
const OPTIONAL = [...example.matchAll(/^# ([A-Z_0-9]+)=/gm)].map(([, name]) => name as string);

const SECRET = /PASSWORD|PWD|SECRET|TOKEN|KEY/;

describe('docker-compose.yml', () => {
  test('has the services of a team', () => {
    expect(Object.keys(file.services)).toEqual(
      expect.arrayContaining(['postgresql', 'temporal', 'temporal-ui', 's3', 'setup', 'worker']),
    );
  });

  test('holds no secret, and no default for one', () => {
    const secrets = services.flatMap(([service, { environment = {} }]) =>
      Object.entries(environment)
        .filter(([name]) => SECRET.test(name))
        .map(([name, value]) => ({ service, name, value })),
    );
    expect(secrets.length).toBeGreaterThan(8);
    for (const { service, name, value } of secrets) {
      // Either required, with a message, or passed on from the shell where it is set there.
      if (value !== null) expect(value, `${service}: ${name}`).toMatch(/^\$\{[A-Z_0-9]+:\?[^}]+\}$/);
      else expect(OPTIONAL, `${service}: ${name} is in .env.example`).toContain(name);
    }
  });

  test('requires what .env.example asks for, and nothing else', () => {
    const required = [...text.matchAll(/\$\{([A-Z_0-9]+):\?/g)].map(([, name]) => name as string);
    expect([...new Set(required)].sort()).toEqual([...REQUIRED].sort());
    expect(text.match(/\$\{[A-Z_0-9]+:?-/g), 'a variable with a default').toBeNull();
    expect(example).not.toMatch(/^[A-Z_0-9]+=.+$/m);
  });

  test('passes on whatever decides where models and datasets are asked, and at which price', () => {
    const passed = Object.entries(file.services.worker?.environment ?? {}).filter(
      ([, value]) => value === null,
    );
    expect(passed.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'GEMINI_API_KEY',
        'GOOGLE_API_KEY',
        'HF_TOKEN',
        'HF_ENDPOINT',
        'REPRISE_PRICES',
      ]),
    );
  });

  test('publishes ports on the loopback address only', () => {
    const published = services.flatMap(([, { ports = [] }]) => ports);
    expect(published.length).toBeGreaterThan(0);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    expect(file.services.postgresql?.ports).toBeUndefined();
  });

  test('pins every image to a tag', () => {
    for (const [service, { image = '' }] of services) {
      expect(image, service).toMatch(/^[\w./-]+:[\w.-]+$/);
      expect(image, service).not.toMatch(/:latest$/);
    }
    expect(file.services.s3?.image).toBe(`versity/versitygw:${VERSITYGW_VERSION}`);
    expect(TEMPORAL_CLI_VERSION).toMatch(/^v\d/);
  });

  test('lets workers start when everything they need is ready', () => {
    expect(file.services.worker?.depends_on?.setup?.condition).toBe('service_completed_successfully');
    expect(Object.keys(file.services.setup?.depends_on ?? {}).sort()).toEqual(['s3', 'temporal-namespace']);
  });
});

const compose = await findCompose();

describe.skipIf(mustSkipCompose(compose))('docker compose config', () => {
  async function config(variables: Record<string, string>): Promise<string> {
    const [program, ...args] = 'command' in compose ? compose.command : ['docker'];
    const environment = { PATH: process.env.PATH, HOME: process.env.HOME, ...variables };
    // A .env of the developer's own must not help.
    const options = ['--env-file', '/dev/null', '--file', 'docker-compose.yml', 'config'];
    const { stdout } = await run(program as string, [...args, ...options], { env: environment });
    return stdout;
  }
  const everything = Object.fromEntries(REQUIRED.map((name) => [name, `value-of-${name}`]));

  test('takes the file as it is', async () => {
    const resolved = parse(await config(everything)) as { services: Record<string, Service> };
    expect(Object.keys(resolved.services).sort()).toEqual(Object.keys(file.services).sort());
    expect(resolved.services.temporal?.environment?.POSTGRES_PWD).toBe('value-of-POSTGRES_PASSWORD');
  });

  test.each(REQUIRED)('refuses to start without %s, and names it', async (name) => {
    const { [name]: _left, ...others } = everything;
    await expect(config(others)).rejects.toThrow(new RegExp(`${name}.*missing a value: set ${name} in .env`));
  });
});

const versitygw = await findVersitygw();

describe.skipIf(mustSkip(versitygw))('docker/create-bucket.mjs', () => {
  test('makes the bucket on the S3 server, once', async () => {
    const server = await startS3Server();
    try {
      const create = () =>
        run(process.execPath, ['docker/create-bucket.mjs', 'reprise'], {
          env: { ...process.env, ...server.environment },
        });
      expect((await create()).stdout).toContain('bucket reprise: created');
      expect((await create()).stdout).toContain('bucket reprise: was there');
      expect(await readdir(`${server.folder}/..`)).toContain('reprise');
    } finally {
      await server.stop();
    }
  });
});

describe('Dockerfile', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8');

  test('runs the worker, as a user without rights', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^ENTRYPOINT \["reprise"\]$/m);
    expect(last).toMatch(/^CMD \["worker"\]$/m);
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:22-bookworm-slim$/m);
  });

  test('lets that user write to its working folder, and takes only what runs along', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last).toContain('--owner=node --group=node /app');
    expect(last).not.toMatch(/npm|NODE_IMAGE/);
    expect(dockerfile).toContain('RUN node docker/prune-modules.mjs node_modules');
  });

  test('copies nothing that .dockerignore leaves out', () => {
    const kept =
      readFileSync('.dockerignore', 'utf8')
        .match(/^!.+$/gm)
        ?.map((line) => line.slice(1)) ?? [];
    const copies = [...dockerfile.matchAll(/^COPY (?!--from)(?:--\S+ )*(.+)$/gm)];
    expect(copies.length).toBeGreaterThan(3);
    for (const [, operands = ''] of copies) {
      for (const source of operands.split(' ').slice(0, -1))
        expect(kept.some((one) => source === one || source.startsWith(`${one}/`))).toBe(true);
    }
  });
});
