import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type ApplicationFailure,
  type Client,
  type WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { sumsConfig, until, Workplace } from '../support/workplace.js';

const SECRET = 'hunter2';
/** A state of /proc/net/tcp. */
const LISTENING = '0A';
const KEY = 'sk-the-key-of-the-worker';

/** Leaves a file behind when it is run, with what it has seen of the worker. */
const environmentOf = (trace: string) => `
import { writeFileSync } from 'node:fs';
import { QAEnv } from 'reprise';
writeFileSync(${JSON.stringify(trace)}, String(process.env.OPENAI_API_KEY));
export class Own extends QAEnv {}
`;

/** The ports that a process listens at. */
async function portsOf(pid: number): Promise<number[]> {
  const open = (await readdir(`/proc/${pid}/fd`)).map((fd) =>
    readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''),
  );
  const sockets = new Set(await Promise.all(open));
  const lines = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).trim().split('\n').slice(1);
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const isOwn = state === LISTENING && sockets.has(`socket:[${inode}]`);
    return isOwn ? [Number.parseInt(local.split(':')[1] as string, 16)] : [];
  });
}

const dataset = { items: [{ q: '1' }], input_field: 'q' };
const lm = { model: 'simulated/x' };

describe('whoever reaches the Temporal port', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let client: Client;
  /** A folder that the worker was told nothing of. */
  let elsewhere: string;
  let trace: string;

  beforeAll(async () => {
    elsewhere = await mkdtemp(join(tmpdir(), 'reprise-elsewhere-'));
    trace = join(elsewhere, 'trace');
    await writeFile(join(elsewhere, 'key.yaml'), `password: "${SECRET}\nother: [\n`);
    await writeFile(join(elsewhere, 'env.ts'), environmentOf(trace));
    provider = await startFakeProvider('openai');
    place = await Workplace.make({ OPENAI_API_KEY: KEY });
    // As an earlier version has made it.
    await chmod(place.path('.reprise'), 0o755);
    await symlink(join(elsewhere, 'env.ts'), place.path('env.ts'));
    await place.write('broken.yaml', `password: "${SECRET}\nother: [\n`);
    await place.write('own.yaml', sumsConfig(provider.baseUrl, 2));
    await place.dev();
    client = await place.client();
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
    await rm(elsewhere, { recursive: true, force: true });
  });

  /** @returns what a workflow fails with */
  async function failureOf(type: string, input: unknown): Promise<string> {
    const workflowId = `remote-${randomUUID()}`;
    try {
      await client.workflow.execute(type, { workflowId, taskQueue: 'reprise', args: [input] });
    } catch (error) {
      const { cause } = error as WorkflowFailedError;
      expect(cause).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
      return (cause as ApplicationFailure).message;
    }
    throw new Error('it was done');
  }

  it.each<[string, string, () => object, RegExp]>([
    ['config', 'run', () => ({ config_path: join(elsewhere, 'key.yaml') }), /^config_path: .*FOLDERS$/],
    [
      'code',
      'run',
      () => ({ dataset: { ...dataset, env_file: join(elsewhere, 'env.ts'), env_class: 'Own' }, lm }),
      /^the input: dataset\.env_file: .*FOLDERS$/,
    ],
    [
      'code behind a link',
      'run',
      () => ({ dataset: { ...dataset, env_file: 'env.ts', env_class: 'Own' }, lm }),
      /^the input: dataset\.env_file: .*FOLDERS$/,
    ],
    [
      'code of a domain',
      'evolve',
      () => ({
        task_prompt: 'Answer it.',
        domain: { name: 'custom', file: join(elsewhere, 'env.ts') },
        data: { train: 'a.jsonl', valid: 'a.jsonl' },
        models: { scaffolder: lm },
      }),
      /domain\.file: .*FOLDERS$/,
    ],
    [
      'code of a bundle',
      'agent-eval',
      () => ({ datasets: [elsewhere], models: { agent: lm } }),
      /datasets\[0\]: .*FOLDERS$/,
    ],
    ['experiment', 'judge', () => ({ experiment: elsewhere, lm }), /^the input: experiment: .*FOLDERS$/],
    [
      'place for results',
      'run',
      () => ({ dataset, lm, output: { results_dir: join(elsewhere, 'results') } }),
      /^the input: output\.results_dir: .*FOLDERS$/,
    ],
    [
      'server to send the key to',
      'run',
      () => ({ dataset, lm: { model: 'openai/x', base_url: provider.baseUrl } }),
      /^the input: lm\.base_url: .*SERVERS$/,
    ],
    [
      'use of the host’s python3',
      'run',
      () => ({ dataset, lm, sandbox: 'process' }),
      /^the input: sandbox: .*process there$/,
    ],
  ])('names a %s that it does not allow, in vain', async (_, type, input, message) => {
    const failure = await failureOf(type, input());
    expect(failure).toMatch(message);
    expect(failure).not.toContain(SECRET);
    expect(existsSync(trace)).toBe(false);
    expect((await readdir(elsewhere)).sort()).toEqual(['env.ts', 'key.yaml']);
    expect(provider.requests).toEqual([]);
  });

  it('is shown no line of a file that is allowed, and is no config', async () => {
    expect(await failureOf('run', { config_path: 'broken.yaml' })).toMatch(
      /broken\.yaml is not valid YAML: [a-z ]+ at line 3, column 1$/,
    );
  });

  it('starts a config that is allowed, with the server that it names', async () => {
    const result = await client.workflow.execute('run', {
      workflowId: 'own',
      taskQueue: 'reprise',
      args: [{ config_path: 'own.yaml', set: ['seed=3'] }],
    });
    expect(result).toMatchObject({ metrics: { status: 'done', correct: 2 } });
  });

  /** As a page of another site can, which needs nobody's leave for plain text. */
  async function post(port: number, path: string): Promise<number> {
    const headers = { 'content-type': 'text/plain', origin: 'http://evil.example' };
    const asked = request({ host: '127.0.0.1', port, path, method: 'POST', headers });
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      asked.on('response', resolve).on('error', reject);
    });
    asked.end(JSON.stringify({ workflowType: { name: 'run' }, taskQueue: { name: 'reprise' } }));
    const response = await answer;
    await text(response);
    return response.statusCode ?? 0;
  }

  it('starts nothing from a page of another site, at any port of the server', async () => {
    const { pid } = (await place.server()) as { pid: number };
    const ports = await portsOf(pid);
    expect(ports.length).toBeGreaterThan(2);
    const statuses: number[] = [];
    for (const port of ports) {
      const id = `page-${port}`;
      // Ports of another protocol answer nothing that HTTP knows.
      statuses.push(await post(port, `/api/v1/namespaces/default/workflows/${id}`).catch(() => 0));
      await expect(client.workflow.getHandle(id).describe()).rejects.toThrow(WorkflowNotFoundError);
    }
    // The HTTP API, and the UI, which wants a token.
    expect(statuses).toEqual(expect.arrayContaining([403, 400]));
    expect(statuses.filter((status) => status !== 0 && status < 400)).toEqual([]);
  });

  it('cannot look into the server’s folder from another account', () => {
    expect(statSync(place.path('.reprise')).mode & 0o777).toBe(0o700);
  });
});

describe('a person who types', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let elsewhere: string;

  beforeAll(async () => {
    elsewhere = await mkdtemp(join(tmpdir(), 'reprise-elsewhere-'));
    await mkdir(join(elsewhere, 'code'));
    await writeFile(join(elsewhere, 'code', 'env.ts'), environmentOf(join(elsewhere, 'trace')));
    provider = await startFakeProvider('openai');
    place = await Workplace.make();
    const config = sumsConfig(provider.baseUrl, 2, {
      dataset: { env_file: 'code/env.ts', env_class: 'Own' },
    });
    await writeFile(join(elsewhere, 'config.yaml'), stringify(config));
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
    await rm(elsewhere, { recursive: true, force: true });
  });

  it('runs a config of any folder, with code and results there', async () => {
    const { code, stderr } = await place.reprise(['run', join(elsewhere, 'config.yaml')]);
    expect(code, stderr).toBe(0);
    expect(existsSync(join(elsewhere, 'results', 'sums', 'results.jsonl'))).toBe(true);
    expect(existsSync(join(elsewhere, 'trace'))).toBe(true);
  });

  it('leaves one to a worker in the background, which allows it too', async () => {
    const words = ['run', join(elsewhere, 'config.yaml'), '--name', 'left', '--detach'];
    const { code, stderr } = await place.reprise(words);
    expect(code, stderr).toBe(0);
    await until('it is done', () => existsSync(join(elsewhere, 'results', 'left', 'metrics.json')));
    // It would start the server again if that were ended now.
    await until('the worker has ended', async () => (await place.users()).length === 0);
  });
});
