import { describe, expect, test } from 'vitest';
import { findChromium, loadedDocument, mustSkipChromium } from './chromium.js';
import { HOSTILE, hostilePage } from './hostile.js';

const found = await findChromium();
const TAKEN = 'data-taken="yes"';

// A browser takes its time to start on a busy machine.
describe.skipIf(mustSkipChromium(found))('in a browser, hostile texts', { timeout: 300_000 }, () => {
  const chromium = found as string;

  test('take over a page that does not escape them', async () => {
    for (const text of HOSTILE.slice(0, 5)) {
      const page = `<!doctype html><html><body title="${text}">${text}`;
      expect(await loadedDocument(chromium, page)).toContain(TAKEN);
    }
  });

  test('do nothing in a report, while the report’s own script runs', async () => {
    const document = await loadedDocument(chromium, await hostilePage());
    expect(document).not.toContain(TAKEN);
    expect(document).toContain('<button type="button">scaffold</button>');
    expect(document.match(/<script/g)).toHaveLength(1);
  });

  test('would do nothing even where one was not escaped, for the page’s policy forbids it', async () => {
    const page = (await hostilePage()).replace('</main>', `${HOSTILE.slice(0, 4).join('\n')}</main>`);
    const document = await loadedDocument(chromium, page);
    expect(document).not.toContain(TAKEN);
    expect(document).toContain('<img src="x" onerror=');
    expect(document).toContain('<button type="button">scaffold</button>');
  });
});
