import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunProgress } from '../../src/kinds/run/contracts.js';
import { openStore } from '../../src/storage/open.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { mustSkipWithout } from '../support/missing-part.js';
import { IS_NIGHT } from '../support/nightly.js';
import { findVersitygw, mustSkip, type S3Server, startS3Server } from '../support/s3-server.js';
import { sumsConfig, timeless, until, untilIn, Workplace } from '../support/workplace.js';

const versitygw = await findVersitygw();

describe.skipIf(mustSkip(versitygw))('results on a real S3 server', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let s3: S3Server;

  beforeAll(async () => {
    s3 = await startS3Server();
    place = await Workplace.make(s3.environment);
    provider = await startFakeProvider('openai', { latencyMs: 200 });
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
    await s3.stop();
  });

  const onS3 = (name: string, more: Record<string, unknown> = {}, asked = provider) =>
    sumsConfig(asked.baseUrl, 40, {
      name,
      output: { results_dir: `s3://${s3.bucket}/team`, save_memory_path: null },
      ...more,
    });

  async function read(key: string): Promise<string> {
    const text = await openStore(`s3://${s3.bucket}/team`, { environment: s3.environment }).readText(key);
    if (text === null) throw new Error(`${key} is not there`);
    return text;
  }

  it('lands on the same rows as in a folder, with the worker killed in the middle', async () => {
    await place.write('folder.yaml', sumsConfig(provider.baseUrl, 40, { name: 'folder' }));
    expect((await place.reprise(['run', 'folder.yaml'])).code).toBe(0);
    const before = provider.statistics.calls;
    await place.write('s3.yaml', onS3('on-s3'));
    const running = place.start(['run', 's3.yaml']);
    await until('half is done', () => provider.statistics.calls >= before + 20);
    await place.kill(running);
    const { code, stdout } = await place.reprise(['run', 's3.yaml', '--json']);
    expect(code).toBe(0);
    const { artifacts, metrics } = JSON.parse(stdout);
    expect(artifacts).toBe(`s3://${s3.bucket}/team/on-s3`);
    expect(metrics).toMatchObject({ status: 'done', correct: 40, lm_calls: 40 });
    expect(JSON.parse(await read('on-s3/metrics.json'))).toEqual(metrics);
    const rows = (await read('on-s3/results.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(timeless(rows)).toEqual(timeless(await place.rows('folder')));
    expect(provider.statistics.repeated).toBeLessThanOrEqual(8);
  });

  it('has its page, is exported and is added up where it is', async () => {
    const address = `s3://${s3.bucket}/team/on-s3`;
    expect(await read('on-s3/report.html')).toContain('</html>');
    const words = ['export', address, '--format', 'trl', '--out', `${address}/train.jsonl`];
    const exported = await place.reprise(words);
    expect(exported.code, exported.stderr).toBe(0);
    expect(exported.stderr).toContain('40 rows of 40 trajectories; 0 filtered out');
    expect((await read('on-s3/train.jsonl')).trim().split('\n')).toHaveLength(40);
    const { stdout } = await place.reprise(['stats', `${address}/results.jsonl`, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ tasks: 40, trials: 40, successes: 40, errors: 0 });
  });

  it('waits for a store that is unreachable, and loses nothing that was paid for', async () => {
    const quick = await startFakeProvider('openai', { latencyMs: 20 });
    // The store goes away from calls that are answered then, and from those that are not made yet.
    let answer: (() => void) | undefined;
    quick.intercept = () => {
      if (quick.statistics.calls > 16) answer ??= quick.hold();
      return undefined;
    };
    await place.write('away.yaml', onS3('away', {}, quick));
    const running = place.start(['run', 'away.yaml']);
    await untilIn(running, 'some wait for an answer', () => answer !== undefined);
    await s3.pause();
    answer?.();
    await sleep(1000);
    await s3.kill();
    await untilIn(running, 'the command says what it waits for', () => /Waiting/.test(running.output()));
    // Back, but without its bucket.
    await rename(s3.folder, `${s3.folder}-renamed`);
    await s3.restart();
    await untilIn(running, 'the command says what is wrong', () =>
      /Waiting.*no such bucket/.test(running.output()),
    );
    await rename(`${s3.folder}-renamed`, s3.folder);
    const { code } = await running.done;
    await quick.close();
    expect(code).toBe(0);
    expect(JSON.parse(await read('away/metrics.json'))).toMatchObject({
      status: 'done',
      correct: 40,
      errors: 0,
      lm_calls: 40,
      lm_calls_repeated: 0,
    });
    expect(quick.statistics).toMatchObject({ calls: 40, repeated: 0 });
  });

  it('a bucket that does not exist ends the run at once, by name', async () => {
    const { calls } = provider.statistics;
    await place.write(
      'no-bucket.yaml',
      onS3('no-bucket', { output: { results_dir: 's3://no-such-bucket/x' } }),
    );
    const { code, stderr } = await place.reprise(['run', 'no-bucket.yaml']);
    expect(code).toBe(1);
    expect(stderr).toContain('no-such-bucket');
    expect(provider.statistics.calls).toBe(calls);
  });
});

/** A mount namespace of one's own gives a small disk to anyone; some containers forbid it. */
async function canMount(): Promise<boolean> {
  const child = spawn('unshare', ['--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  const code = await new Promise((resolve) => child.once('error', () => resolve(1)).once('exit', resolve));
  const missing = 'unshare --map-root-user --mount is not permitted here: a full disk cannot be tried';
  return !mustSkipWithout('mount', code === 0 ? null : missing);
}

describe.skipIf(!(await canMount()))('a disk that is full for a while, and then mounted read-only', () => {
  it('is waited for, and the run says so; every reply that came meanwhile is kept', async () => {
    const place = await Workplace.make();
    const provider = await startFakeProvider('openai', { latencyMs: 100 });
    try {
      await place.write('full.yaml', sumsConfig(provider.baseUrl, 60, { name: 'full' }));
      // The results live on a disk of a megabyte, which is filled up until a file called `free` appears, and may only be
      // read until one called `writable` does.
      const script = `
        mkdir -p results && mount -t tmpfs -o size=1m tmpfs results || exit 99
        "$@" & command=$!
        while [ ! -e full ]; do sleep 0.1; done
        dd if=/dev/zero of=results/ballast bs=4k 2>/dev/null
        while [ ! -e free ]; do sleep 0.1; done
        rm results/ballast
        until mount -o remount,ro results 2>/dev/null; do sleep 0.05; done
        while [ ! -e writable ]; do sleep 0.1; done
        mount -o remount,rw results
        wait $command; code=$?
        cp -r results kept
        exit $code`;
      const main = (await import('../support/workplace.js')).COMMAND;
      const running = place.startProgram('unshare', [
        ...['--map-root-user', '--mount', 'bash', '-c', script, 'bash'],
        ...[process.execPath, main, 'run', 'full.yaml'],
      ]);
      await until('some calls are made', () => provider.statistics.calls >= 16).catch((error) => {
        throw new Error(`${error.message}; the command says: ${running.output()}`);
      });
      await place.write('full', '');
      await until('the command says what it waits for', () =>
        /Waiting.*(space|full)/i.test(running.output()),
      );
      await place.write('free', '');
      await until('the command says what it waits for', () =>
        /Waiting.*mounted read-only/i.test(running.output()),
      );
      const client = await place.client();
      await untilIn(running, 'the run says what it waits for', async () => {
        const { message } = await client.workflow.getHandle('full').query<RunProgress>('progress');
        return /waiting for the store: .*read-only/.test(message ?? '');
      });
      await place.write('writable', '');
      const { code } = await running.done;
      expect(code).toBe(0);
      const metrics = JSON.parse(await readFile(place.path('kept', 'full', 'metrics.json'), 'utf8'));
      expect(metrics).toMatchObject({ status: 'done', correct: 60, errors: 0, lm_calls: 60 });
      expect(provider.statistics).toMatchObject({ calls: 60, repeated: 0 });
      expect(await readdir(place.path('kept', 'full'))).not.toContain('pending');
    } finally {
      await provider.close();
      await place.dispose();
    }
  });
});

describe('artifacts of a dead worker', () => {
  it('half-written files are never read as whole ones', async () => {
    const place = await Workplace.make();
    const provider = await startFakeProvider('openai', { latencyMs: 20 });
    try {
      await place.write('many.yaml', sumsConfig(provider.baseUrl, 200, { name: 'many' }));
      for (const target of IS_NIGHT ? [50, 130] : [90]) {
        const running = place.start(['run', 'many.yaml']);
        await until(`call ${target} arrives`, () => provider.statistics.calls >= target);
        running.process.kill('SIGKILL');
        await once(running.process, 'exit');
      }
      expect((await place.reprise(['run', 'many.yaml'])).code).toBe(0);
      expect(await place.metrics('many')).toMatchObject({ samples: 200, correct: 200, lm_calls: 200 });
      const left = (await readdir(place.path('results', 'many'), { recursive: true })).filter((name) =>
        /tmp|temporary|pending|parts/.test(name),
      );
      expect(left).toEqual([]);
    } finally {
      await provider.close();
      await place.dispose();
    }
  });

  it('that somebody has damaged are named at once, and once they are back nothing is asked again', async () => {
    const place = await Workplace.make();
    const provider = await startFakeProvider('openai', { latencyMs: 100 });
    try {
      const config = sumsConfig(provider.baseUrl, 30, { name: 'hurt', runtime: { concurrency: 2 } });
      await place.write('hurt.yaml', config);
      const running = place.start(['run', 'hurt.yaml']);
      await untilIn(running, 'it works', () => provider.statistics.calls >= 6);
      running.process.kill('SIGTERM');
      await running.done;
      const rows = place.path('results', 'hurt', 'dataset', '000000.jsonl');
      const whole = await readFile(rows);
      await writeFile(rows, whole.subarray(0, whole.length / 2));
      const { code, stderr } = await place.reprise(['run', 'hurt.yaml']);
      expect(code).toBe(1);
      expect(stderr).toContain('dataset/000000.jsonl is damaged: line ');
      await writeFile(rows, whole);
      expect((await place.reprise(['run', 'hurt.yaml'])).code).toBe(0);
      expect(await place.metrics('hurt')).toMatchObject({ status: 'done', samples: 30, correct: 30 });
      expect(provider.statistics).toMatchObject({ calls: 30, repeated: 0 });
    } finally {
      await provider.close();
      await place.dispose();
    }
  });
});
