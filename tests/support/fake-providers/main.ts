import { parseArgs } from 'node:util';
import type { ProviderKind } from './behaviours.js';
import { startFakeProvider } from './fake-provider.js';

/**
 * A fake provider as a program of its own:
 *
 *     npx jiti tests/support/fake-providers/main.ts --kind openai --port 9999 --latency 1000
 *
 * Prints its base_url as one JSON line when it listens; `GET /stats` answers with what it has counted.
 */
const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'openai' },
    port: { type: 'string', default: '0' },
    latency: { type: 'string', default: '0' },
    /** Every n-th request answers 503. */
    'fail-every': { type: 'string' },
  },
});

const provider = await startFakeProvider(values.kind as ProviderKind, {
  port: Number(values.port),
  latencyMs: Number(values.latency),
  keepRequests: false,
});
const failEvery = Number(values['fail-every'] ?? 0);
if (failEvery > 0) {
  provider.intercept = ({ number }) =>
    number % failEvery === 0 ? { kind: 'status', status: 503 } : undefined;
}
process.stdout.write(`${JSON.stringify({ base_url: provider.baseUrl })}\n`);
