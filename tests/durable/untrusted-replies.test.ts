import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { stranger } from '../support/stranger.js';
import { sumsConfig, untilIn, Workplace } from '../support/workplace.js';

describe('a provider that nobody should trust', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make({ OPENAI_API_KEY: 'sk-of-the-worker-1234' });
    provider = await startFakeProvider('openai');
    await place.dev();
  });

  afterAll(async () => {
    await place.dispose();
    await provider.close();
  });

  it('answers with gigabytes, packed or without an end: an error row each, asked once, and no worker dies', async () => {
    provider.intercept = ({ lastUserText }) => {
      if (/is 0 \+/.test(lastUserText)) return { kind: 'flood', bytes: 3_000_000_000, packed: true };
      if (/is 1 \+/.test(lastUserText)) return { kind: 'flood', bytes: Number.POSITIVE_INFINITY };
      return undefined;
    };
    await place.write('floods.yaml', sumsConfig(provider.baseUrl, 12, { name: 'floods' }));
    const { code, stderr } = await place.reprise(['run', 'floods.yaml']);
    expect(code).toBe(3);
    expect(stderr).not.toContain('heap');
    const metrics = await place.metrics('floods');
    expect(metrics).toMatchObject({
      status: 'incomplete',
      correct: 10,
      errors: 2,
      errors_by_type: { reply_too_long: 2 },
      // What they cost nobody has said.
      unrecorded: { requests: 2 },
    });
    expect(provider.statistics.calls).toBe(12);
    // Both are asked again by the same command, and a reply may be as long as the config says.
    provider.intercept = undefined;
    const again = { name: 'floods', lm: { max_reply_mb: 8 } };
    await place.write('floods.yaml', sumsConfig(provider.baseUrl, 12, again));
    expect((await place.reprise(['run', 'floods.yaml'])).code).toBe(0);
    expect(await place.metrics('floods')).toMatchObject({ status: 'done', correct: 12, errors: 0 });
    expect(provider.statistics.calls).toBe(14);
  });

  it('sends requests to another host: no key goes along, and the run ends and says where to', async () => {
    const other = await stranger();
    provider.intercept = () => ({
      kind: 'status',
      status: 307,
      headers: { location: `http://${other.host}/v1` },
    });
    await place.write('elsewhere.yaml', sumsConfig(provider.baseUrl, 12, { name: 'elsewhere' }));
    const { code, stdout } = await place.reprise(['run', 'elsewhere.yaml']);
    expect(code).toBe(1);
    expect(stdout).toContain(`redirects to ${other.host} (HTTP 307)`);
    expect(other.headers).toEqual([]);
  });

  it('says what a terminal and a page would act on: both show it', async () => {
    const message = '\x1b]0;title\x07\x1b[31mno\x9b ![x](http://evil.invalid/) <img src=x>';
    let isAway = true;
    provider.intercept = () => (isAway ? { kind: 'status', status: 503, message } : undefined);
    await place.write('says.yaml', sumsConfig(provider.baseUrl, 12, { name: 'says' }));
    const running = place.start(['run', 'says.yaml']);
    const client = await place.client();
    const details = async () => {
      const { currentDetails } = await client.workflow
        .getHandle('says')
        .query<{ currentDetails: string }>('__temporal_workflow_metadata')
        .catch(() => ({ currentDetails: '' }));
      return currentDetails;
    };
    await untilIn(running, 'its details tell of it', async () => (await details()).includes('waiting for'));
    expect(await details()).toContain('!\\[x\\](http');
    expect(await details()).toContain('\\<img src=x\\>');
    const status = await place.reprise(['status', 'says']);
    isAway = false;
    const { code, stdout, stderr } = await running.done;
    expect(code).toBe(0);
    expect(stderr).toContain('␛]0;title␇␛[31mno�');
    for (const text of [status.stdout, status.stderr, stdout, stderr, await details()]) {
      expect(text).not.toMatch(/(?![\n\t])\p{Cc}/u);
    }
  });
});
