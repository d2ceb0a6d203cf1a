import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPython, mustSkipPython } from '../support/python.js';

const RUNNER = resolve('docker/scaffold-runner');

/** What an expression on the runner's modules is, by this machine's Python. */
async function evaluate(expression: string, set = ''): Promise<unknown> {
  const code = `import json, sys; sys.path.insert(0, ${JSON.stringify(RUNNER)})\nimport confinement, runner\n${set}\n`;
  const { stdout } = await promisify(execFile)('python3', [
    '-B',
    '-c',
    `${code}print(json.dumps(${expression}))`,
  ]);
  return JSON.parse(stdout);
}

const skip = mustSkipPython(await findPython());

describe.skipIf(skip)('the runner counts the dead of memory', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reprise-counters-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const events = (max: number, kills: number) =>
    `low 0\nhigh 0\nmax ${max}\noom 1\noom_kill ${kills}\noom_group_kill 0\n`;
  const v1 = (kills: number, peak: number) => ({
    oom_control: `oom_kill_disable 0\nunder_oom 0\noom_kill ${kills}\n`,
    max_usage_in_bytes: `${peak}\n`,
    limit_in_bytes: '100000000\n',
  });

  test.each([
    ['none', { events: events(0, 0) }, [0, false]],
    ['two, at their own limit', { events: events(7, 2) }, [2, true]],
    ["one, where the machine's memory was the reason", { events: events(0, 1) }, [1, false]],
    ['none, by version 1', v1(0, 5_000_000), [0, false]],
    ['one at its own limit, by version 1', v1(1, 99_900_000), [1, true]],
    ["one, where the machine's memory was the reason, by version 1", v1(1, 5_000_000), [1, false]],
  ])('%s', async (_what, files: Record<string, string>, expected) => {
    const place = await mkdtemp(join(folder, 'cgroup-'));
    for (const [name, content] of Object.entries(files)) await writeFile(join(place, name), content);
    const set = `runner.EVENTS_V2 = "${place}/events"\nrunner.FOLDER_V1 = "${place}/"`;
    expect(await evaluate('runner.memory_deaths()', set)).toEqual(expected);
  });
});

describe.skipIf(skip)('the runner looks whether there is a network', () => {
  const HEADING = 'Iface\tDestination\tGateway\n';
  const LOOPBACK = '00000000000000000000000000000001 01 80 10 80       lo\n';

  test.each([
    ['in a container without one', HEADING, LOOPBACK, null],
    ['where the loopback is down', HEADING, '', null],
    ['where routes are refused', `${HEADING}*\t00000000\t00000000\n`, LOOPBACK, null],
    ['where the kernel has no IPv6', HEADING, null, null],
    ['in a bridge', `${HEADING}eth0\t00000000\t010011AC\n`, LOOPBACK, 'eth0'],
    ['of IPv6 alone', HEADING, `${LOOPBACK}fd000000000000000000000000000002 04 40 00 82     ens5\n`, 'ens5'],
  ])('%s', async (_where, routes, addresses, expected) => {
    const place = await mkdtemp(join(tmpdir(), 'reprise-network-'));
    await writeFile(join(place, 'route'), routes);
    if (addresses !== null) await writeFile(join(place, 'if_inet6'), addresses);
    const set = `runner.NETWORK_TABLES = (("${place}/route", 0), ("${place}/if_inet6", 5))`;
    expect(await evaluate('runner.find_way_out()', set)).toBe(expected);
    await rm(place, { recursive: true });
  });
});

describe.skipIf(skip)('a file that cannot be written', () => {
  const executed = (error: string) =>
    evaluate(
      'executed()',
      `import errno, os
def refuse(*_):
    raise OSError(errno.${error}, os.strerror(errno.${error}))
def executed():
    runner.FOLDER = "/work"
    runner.os.makedirs = lambda *_, **__: None
    runner.open = refuse
    try:
        return runner.execute({"type": "run", "nonce": "", "main": "a.py", "files": {"a.py": ""}, "limits": {}}, None)
    except runner.Failure as failure:
        return str(failure)`,
    );

  test('because the files do not fit is the failure of their program', async () => {
    const stderr = Buffer.from("the program's file 'a.py' cannot be written: No space left on device\n");
    expect(await executed('ENOSPC')).toEqual({
      type: 'result',
      status: 'error',
      exit_code: null,
      seconds: 0,
      stdout: '',
      stderr: stderr.toString('base64'),
      truncated: false,
      returned: null,
    });
  });

  test('for another reason is the failure of the machine', async () => {
    expect(await executed('EACCES')).toBe("the program's file 'a.py' cannot be written: Permission denied");
  });
});

describe.skipIf(skip)("the filter of a program's system calls", () => {
  const [X86, ARM, I386] = [0xc000003e, 0xc00000b7, 0x40000003];
  const REFUSED = 0x00050001;
  const ALLOWED = 0x7fff0000;

  /** Runs the filter as the kernel would: BPF over struct seccomp_data, of which the low halves of arguments count. */
  function judge(code: number[][], architecture: number, number: number, ...values: number[]): number {
    const data: Record<number, number> = { 0: number, 4: architecture };
    values.forEach((value, index) => {
      data[16 + index * 8] = value;
    });
    let loaded = 0;
    for (let at = 0; at < code.length; at += 1) {
      const [operation, ifTrue = 0, ifFalse = 0, value = 0] = code[at] ?? [];
      if (operation === 0x06) return value;
      if (operation === 0x20) loaded = data[value] ?? 0;
      else if (operation === 0x15) at += loaded === value ? ifTrue : ifFalse;
      else if (operation === 0x35) at += loaded >= value ? ifTrue : ifFalse;
      else throw new Error(`no such operation: ${operation}`);
    }
    throw new Error('the filter ended without a verdict');
  }

  const programs: Record<string, number[][]> = {};
  beforeAll(async () => {
    for (const machine of ['x86_64', 'aarch64']) {
      const list = `[list(i) for i in struct.iter_unpack("HBBI", confinement.filter_program("${machine}"))]`;
      programs[machine] = (await evaluate(list, 'import struct')) as number[][];
    }
  });

  // Numbers from the kernel's tables: the first is x86-64's, the second 64-bit ARM's.
  test.each([
    ['read', [0, 63], [3, 0, 0], ALLOWED],
    ['clone', [56, 220], [0x11, 0, 0], ALLOWED],
    ['prlimit64 on itself', [302, 261], [0, 7], ALLOWED],
    ['prlimit64 on a child', [302, 261], [12, 7], ALLOWED],
    ['prlimit64 on the runner', [302, 261], [1, 7], REFUSED],
    ['sched_setaffinity on the runner', [203, 122], [1, 8], REFUSED],
    ['setpriority on itself', [141, 140], [0, 0, 5], ALLOWED],
    ['setpriority on the runner', [141, 140], [0, 1, 5], REFUSED],
    ['setpriority on the user', [141, 140], [2, 0, 5], REFUSED],
    ['ioprio_set on itself', [251, 30], [1, 0, 5], ALLOWED],
    ['ioprio_set on the user', [251, 30], [3, 0, 5], REFUSED],
    ['a Unix socket', [41, 198], [1, 1], ALLOWED],
    ['an IPv6 socket', [41, 198], [10, 1], ALLOWED],
    ['a vsock socket', [41, 198], [40, 1], REFUSED],
    ['ptrace', [101, 117], [16, 1], REFUSED],
    ['io_uring_setup', [425, 425], [8, 0], REFUSED],
    ['syncfs', [306, 267], [3], REFUSED],
  ])('judges %s', (_name, [x86 = 0, arm = 0], values, verdict) => {
    expect(judge(programs.x86_64 ?? [], X86, x86, ...values)).toBe(verdict);
    expect(judge(programs.aarch64 ?? [], ARM, arm, ...values)).toBe(verdict);
  });

  test('refuses the calls of other tables that the same processor has', () => {
    expect(judge(programs.x86_64 ?? [], I386, 3)).toBe(REFUSED);
    expect(judge(programs.x86_64 ?? [], X86, 0x40000000)).toBe(REFUSED);
    expect(judge(programs.aarch64 ?? [], 0x40000028, 3)).toBe(REFUSED);
  });

  test('is none where the numbers of the calls are not known', async () => {
    expect(await evaluate('confinement.filter_program("riscv64")')).toBeNull();
  });
});
