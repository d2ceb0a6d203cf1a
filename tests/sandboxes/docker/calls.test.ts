import type Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OWNER_LABEL, ownerLabel } from '../../../src/sandboxes/container-owner.js';
import { type DockerSandbox, dockerSandbox } from '../../../src/sandboxes/docker-sandbox.js';
import { dockerClient, findDocker, mustSkipDocker, untilRemoved } from '../../support/docker.js';
import { HandModel, ROOMY, scaffold, testCalls, withoutModel } from '../calls-contract.js';
import { PATIENT } from '../limits.js';

const found = await findDocker();

describe.skipIf(mustSkipDocker(found))('a call in the sandbox "docker"', () => {
  const environment = 'environment' in found ? found.environment : {};
  const docker = dockerClient(environment);
  let sandbox: DockerSandbox;

  beforeAll(async () => {
    sandbox = dockerSandbox({ environment, warm: false });
    await sandbox.prepare();
  });
  afterAll(() => sandbox?.close());

  testCalls(() => sandbox);

  const ASKING = 'from llm_executor import execute_llm\ndef process_input(_):\n    return execute_llm("a")';

  test.each([
    ['docker kill', (container: Docker.Container) => container.kill()],
    ['docker rm --force', (container: Docker.Container) => container.remove({ force: true })],
  ])('%s during a request is no result of the program, and the request is aborted', async (_name, act) => {
    await untilRemoved(docker, ownerLabel());
    const model = new HandModel();
    const calling = sandbox.call(await scaffold(ASKING), { ...withoutModel, respond: model.respond });
    const failing = expect(calling).rejects.toMatchObject({
      name: 'SandboxError',
      retryable: true,
      message: expect.stringMatching(/from outside/),
    });
    await model.asked(1);
    const label = [`${OWNER_LABEL}=${ownerLabel()}`];
    const [running] = await docker.listContainers({ filters: { label } });
    await act(docker.getContainer(running?.Id ?? ''));
    await failing;
    expect(model.requests[0]?.signal.aborted).toBe(true);
  });

  test('a program that closes the sandbox while it asks is no result', async () => {
    const closing = dockerSandbox({ environment });
    const model = new HandModel();
    const calling = closing.call(await scaffold(ASKING), { ...withoutModel, respond: model.respond });
    const failing = expect(calling).rejects.toThrow('the sandbox is closed');
    await model.asked(1);
    await closing.close();
    await failing;
    expect(model.requests[0]?.signal.aborted).toBe(true);
  });

  test('gives the program one variable more than a program that is run, and no network', async () => {
    const code = [
      'import os, socket',
      'def process_input(_):',
      '    return f"{sorted(os.environ)} {socket.if_nameindex()} {os.environ[\'REPRISE_MODEL_SOCKET\']}"',
    ].join('\n');
    const { output } = await sandbox.call(await scaffold(code), withoutModel);
    expect(output).toBe(
      "['HOME', 'LANG', 'OMP_NUM_THREADS', 'PATH', 'PYTHONHASHSEED', 'REPRISE_MODEL_SOCKET', 'TMPDIR'] [(1, 'lo')] @reprise",
    );
  });

  test('large prompts and replies by the dozen neither take the memory nor mix', async () => {
    const code = [
      'from concurrent.futures import ThreadPoolExecutor',
      'from llm_executor import execute_llm',
      'def ask(number):',
      '    text = execute_llm(str(number) * 900_000)',
      '    return f"{len(text)} {set(text)}"',
      'def process_input(_):',
      '    with ThreadPoolExecutor(9) as pool:',
      '        return "; ".join(pool.map(ask, [n for n in range(1, 10) for _ in range(3)]))',
    ].join('\n');
    const respond = async ({ prompt }: { prompt: string }) => ({ text: prompt });
    const result = await sandbox.call(await scaffold(code), { ...withoutModel, limits: ROOMY, respond });
    const each = Array.from({ length: 27 }, (_, index) => `900000 {'${Math.floor(index / 3) + 1}'}`);
    expect(result).toMatchObject({ status: 'ok', output: each.join('; ') });
  });

  test('a program that never reads its replies meets its deadline', async () => {
    const code = [
      'import base64, json, os, socket, time',
      'def process_input(_):',
      '    line = json.dumps({"prompt": "", "system_prompt": None}).encode() + b"\\n"',
      '    connections = []',
      '    while True:',
      '        connection = socket.socket(socket.AF_UNIX)',
      '        connection.connect("\\0reprise")',
      '        connection.sendall(line)',
      '        connections.append(connection)',
    ].join('\n');
    let asked = 0;
    const respond = async () => {
      asked += 1;
      return { text: 'x'.repeat(1_000_000) };
    };
    const limits = { ...PATIENT, timeout_sec: 3 };
    const result = await sandbox.call(await scaffold(code), { ...withoutModel, limits, respond });
    expect(result).toMatchObject({ status: 'timeout', output: null });
    expect(asked).toBe(64);
  });
});
