import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visibleText } from '../reports/support.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { seatRow, seatsConfig, seatsReply, writeSeats } from '../support/seats-bundle.js';
import { type Running, sumsConfig, until, untilIn, Workplace } from '../support/workplace.js';

const SAMPLES = 6;

describe('the viewer of experiments in progress', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let viewer: Running;
  let url: string;

  beforeAll(async () => {
    place = await Workplace.make();
    place.environment.SEATS_LOG = place.path('tools.log');
    await place.dev();
    viewer = place.start(['view', '--write']);
    await untilIn(viewer, 'it listens', () => /http:\/\/127\.0\.0\.1:\d+\/\S+/.test(viewer.output()));
    url = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(viewer.output())?.[0] ?? '';
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  async function page(path: string): Promise<{ html: string; text: string }> {
    const html = await (await fetch(`${url}${path}`)).text();
    return { html, text: visibleText(html).replaceAll(/\s+/g, ' ') };
  }

  /** Sends a form of a page; returns the status and where the answer leads. */
  async function send(form: Record<string, string>): Promise<[number, string | null]> {
    const { status, headers } = await fetch(`${url}act`, {
      method: 'POST',
      headers: { origin: new URL(url).origin },
      body: new URLSearchParams(form),
      redirect: 'manual',
    });
    return [status, headers.get('location')];
  }

  it('shows a run and what it has in flight, steers it, and has the figures of its end', async () => {
    provider = await startFakeProvider('openai');
    const release = provider.hold();
    await place.write('live.yaml', sumsConfig(provider.baseUrl, SAMPLES, { name: 'live' }));
    const command = ['run', 'live.yaml', '--set', 'runtime.concurrency=2', '--set', 'runtime.grain=call'];
    const running = place.start(command);
    await untilIn(running, 'two calls are in flight', () => provider.statistics.inFlight === 2);
    expect((await page('')).text).toMatch(/live *run *running *0 of 6 samples/);
    const before = await page('experiment?id=live');
    expect(before.html).toContain('<body data-live>');
    expect(before.html).toMatch(/href="http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/live"/);

    expect(await send({ id: 'live', what: 'pause' })).toEqual([303, './experiment?id=live']);
    expect((await place.reprise(['status', 'live'])).stdout).toContain('paused');
    release();
    await until('both have ended', async () =>
      /Samples *2 *of 6/.test((await page('experiment?id=live')).text),
    );
    // What was answered is shown before its row is written, which is so if it takes ten seconds; calls are listed twice a
    // second at most.
    await until('its table has the answer', async () =>
      /sum-0 *(?:in flight: )?\W*\d+/.test((await page('experiment?id=live')).text),
    );
    expect((await page('unit?id=live&unit=sum-0&trial=0')).text).toContain('What is 0 + 0?');
    expect(provider.statistics.calls).toBe(2);

    expect(await send({ id: 'live', what: 'resume' })).toEqual([303, './experiment?id=live']);
    expect((await running.done).code).toBe(0);
    await until(
      'the page knows its end',
      async () => !(await page('experiment?id=live')).html.includes('data-live'),
    );
    const after = await page('experiment?id=live');
    expect(after.text).toMatch(/Samples *6 *of 6, 6 episodes *Accuracy *100\.0 %/);
    await provider.close();
  });

  it('answers a rollout that waits for a person', async () => {
    provider = await startFakeProvider('openai', { reply: seatsReply });
    await writeSeats(place, 1, 'seats');
    await place.write('human.yaml', seatsConfig(provider.baseUrl, 'seats/task.jsonl', { name: 'human' }));
    const words = ['--model-role', 'user=human', '--rollouts', '1'];
    const running = place.start(['agent-eval', 'human.yaml', ...words]);
    await untilIn(running, 'it says how to answer', () =>
      running.output().includes('npx reprise reply human'),
    );
    const address = `unit?id=human&unit=${seatRow(0)}&trial=0`;
    const reply = { id: 'human', unit: seatRow(0), trial: '0', what: 'reply' };
    const waits = async () => (await page(address)).html.includes('name="what" value="reply"');
    await until('its page has a form', waits);
    expect((await send({ ...reply, text: 'Yes, please charge it.' }))[0]).toBe(303);
    await until('the agent has answered', async () =>
      (await page(address)).text.includes('Yes, please charge it.'),
    );
    await until('it waits again', waits);
    expect((await send({ ...reply, text: '###STOP###' }))[0]).toBe(303);
    const { code, stderr } = await running.done;
    expect(code, stderr).toBe(0);
    // What runs is asked of the server every two seconds.
    await until('the page knows its end', async () => /Tool calls: /.test((await page(address)).text));
    expect((await page(address)).text).toContain('write by write');
    expect((await send({ ...reply, text: 'Hello?' }))[0]).toBeGreaterThanOrEqual(400);
  });
});
