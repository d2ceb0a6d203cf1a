import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OWNER_LABEL, ownerLabel } from '../../../src/sandboxes/container-owner.js';
import { type DockerSandbox, dockerSandbox } from '../../../src/sandboxes/docker-sandbox.js';
import { dockerClient, findDocker, mustSkipDocker, untilRemoved } from '../../support/docker.js';
import { until } from '../../support/workplace.js';
import { scaffold, withoutModel } from '../calls-contract.js';
import { PATIENT, program } from '../limits.js';

const found = await findDocker();

describe.skipIf(mustSkipDocker(found))('the containers that wait for programs', () => {
  const environment = 'environment' in found ? found.environment : {};
  const docker = dockerClient(environment);
  let sandbox: DockerSandbox;
  const closing: NodeJS.ReadableStream[] = [];

  beforeEach(async () => {
    sandbox = dockerSandbox({ environment });
    await sandbox.prepare();
  });
  afterEach(async () => {
    for (const stream of closing.splice(0)) (stream as Readable).destroy();
    await sandbox.close();
    await untilRemoved(docker, ownerLabel());
  });

  const all = () =>
    docker.listContainers({ all: true, filters: { label: [`${OWNER_LABEL}=${ownerLabel()}`] } });
  const run = async (code: string) => (await sandbox.run(program(code), { limits: PATIENT })).stdout;

  /** The containers that end from now on. */
  async function watchEnds(): Promise<string[]> {
    const ended: string[] = [];
    const label = [`${OWNER_LABEL}=${ownerLabel()}`];
    const stream = await docker.getEvents({ filters: { event: ['die'], type: ['container'], label } });
    closing.push(stream);
    createInterface({ input: stream }).on('line', (line) => ended.push(JSON.parse(line).id));
    return ended;
  }

  /** Runs two programs until both their containers have ended, and one waits that neither had; returns its id. */
  async function warm(): Promise<string> {
    const ended = await watchEnds();
    await run('');
    await run('');
    let id = '';
    await until('one container waits', async () => {
      if (ended.length < 2) return false;
      const [first, ...others] = await all();
      id = first?.Id ?? '';
      return first?.State === 'running' && others.length === 0;
    });
    return id;
  }

  test('are used by the next one', async () => {
    const id = await warm();
    const ended = await watchEnds();
    expect(await run('print("here")')).toBe('here\n');
    await until('the container has ended', () => ended.includes(id));
    expect(ended).toEqual([id]);
  });

  test('serve calls and programs alike, and nothing of one is left to the next', async () => {
    await warm();
    const code =
      'import os\ndef process_input(_):\n    open("note", "w").close()\n    return str(sorted(os.listdir()))';
    const options = { ...withoutModel, limits: PATIENT };
    const files = "['llm_executor.py', 'llm_interfaces.py', 'note', 'scaffold.py']";
    for (let count = 0; count < 3; count += 1) {
      expect((await sandbox.call(await scaffold(code), options)).output).toBe(files);
    }
    expect(await run('import os; print(os.listdir())')).toBe("['main.py']\n");
  });

  test.each([
    ['killed', (id: string) => docker.getContainer(id).kill()],
    ['removed', (id: string) => docker.getContainer(id).remove({ force: true })],
  ])('are replaced without an error where one is %s', async (_how, act) => {
    const id = await warm();
    await act(id);
    expect(await run('print("here")')).toBe('here\n');
  });

  test('are removed at the end, also one that somebody waits for', async () => {
    await warm();
    const ended = Promise.allSettled(Array.from({ length: 4 }, () => run('import time; time.sleep(60)')));
    await until('programs wait for their containers', async () => (await all()).length > 1);
    await sandbox.close();
    expect(await all()).toEqual([]);
    for (const one of await ended)
      expect(one).toMatchObject({ reason: { message: 'the sandbox is closed' } });
  });

  test('are removed when nobody needs them', async () => {
    await warm();
    await untilRemoved(docker, ownerLabel());
  });

  test('are removed when the sandbox is closed, those on their way too', async () => {
    const both = () => Promise.all([run('print(1)'), run('print(2)')]);
    await both();
    await both();
    expect((await all()).length).toBeGreaterThan(0);
    await sandbox.close();
    expect(await all()).toEqual([]);
  });

  test('many programs at once all get one', async () => {
    const numbers = Array.from({ length: 24 }, (_, number) => number);
    let next = 0;
    const outputs: string[] = [];
    const lane = async () => {
      for (let number = next++; number < numbers.length; number = next++) {
        outputs[number] = await run(`print(${number})`);
      }
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    expect(outputs).toEqual(numbers.map((number) => `${number}\n`));
  });
});
