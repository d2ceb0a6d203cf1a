import { request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InfrastructureError } from '../../../../src/contracts/infrastructure-error.js';
import { serveDesk } from '../../../../src/kinds/agent-eval/workbench/serve-desk.js';
import { ToolDesk } from '../../../../src/kinds/agent-eval/workbench/tool-desk.js';
import { flightBundle, type OddParts } from '../bundles/flight.js';

const ROWS = [{}, { id: 'flight.booking.002', end_goal_sql: null, tools_allowed: ['search'] }];

async function served(odd: Partial<OddParts> = {}, row: string | null = null): Promise<string> {
  const desk = await ToolDesk.open(async () => flightBundle(ROWS, odd), row);
  const { url, close } = await serveDesk(desk, 0);
  onTestFinished(close);
  return url.slice(0, -1);
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function get(url: string) {
  const response = await fetch(url);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

describe('the debug app of a bundle', () => {
  test('calls tools on a database that lasts until the reset', async () => {
    const app = await served();
    const found = await post(`${app}/tools/search`, { day: '2026-03-03' });
    expect(found).toEqual({
      status: 200,
      body: [
        { id: 2, price: 80 },
        { id: 1, price: 90 },
      ],
    });
    const booked = await post(`${app}/tools/book`, { flight: 2 });
    expect((await post(`${app}/tools/pay`, booked.body)).body).toBeNull();
    const state = JSON.parse((await get(`${app}/state`)).text);
    expect(state).toMatchObject({ row: 'flight.booking.001', calls: 3, goal: true });
    expect((await post(`${app}/reset`, {})).body).toMatchObject({ calls: 0, goal: false });
    expect((await post(`${app}/tools/pay`, booked.body)).status).toBe(409);
  });

  test('says of each call what the model would read', async () => {
    const app = await served();
    expect(await post(`${app}/tools/book`, { flight: 'two' })).toEqual({
      status: 422,
      body: { error: 'the arguments are not right: flight: must be a number, not "two"' },
    });
    expect((await post(`${app}/tools/fly`, {})).status).toBe(404);
    expect(await post(`${app}/tools/pay`, { booking_id: 'x' })).toEqual({
      status: 409,
      body: { error: 'no such booking' },
    });
  });

  test('takes another row, with its own tools', async () => {
    const app = await served();
    const state = (await post(`${app}/reset`, { row: 'flight.booking.002' })).body;
    expect(state).toMatchObject({ row: 'flight.booking.002', goal: null });
    expect((await post(`${app}/tools/book`, { flight: 2 })).status).toBe(403);
    const { paths } = JSON.parse((await get(`${app}/openapi.json`)).text);
    expect(Object.keys(paths)).toEqual(['/tools/search', '/reset', '/state']);
    expect(await post(`${app}/reset`, { row: 'x' })).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining("there is no row 'x'; there are flight.booking.001") },
    });
  });

  test('a failure outside of the tool is no answer of the tool, and changes nothing', async () => {
    const bookingId = () => Promise.reject(new InfrastructureError('the airline is unreachable'));
    const app = await served({ bookingId });
    expect(await post(`${app}/tools/book`, { flight: 2 })).toEqual({
      status: 503,
      body: { error: 'the airline is unreachable' },
    });
    expect(JSON.parse((await get(`${app}/state`)).text)).toMatchObject({ calls: 0, goal: false });
  });

  test('describes the tools as OpenAPI 3.1', async () => {
    const app = await served();
    const { openapi, info, paths } = JSON.parse((await get(`${app}/openapi.json`)).text);
    expect([openapi, info.title, info.version]).toEqual(['3.1.0', 'flight_tools', 'flight.booking.001']);
    expect(paths['/tools/search'].post).toMatchObject({
      operationId: 'search',
      tags: ['reads'],
      requestBody: {
        content: { 'application/json': { schema: { required: ['day'], additionalProperties: false } } },
      },
    });
    expect(paths['/tools/book'].post.tags).toEqual(['writes']);
  });

  test('has a page, whose script is JavaScript', async () => {
    const app = await served();
    expect(await get(`${app}/`)).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    const script = await get(`${app}/desk.js`);
    expect(script.type).toContain('text/javascript');
    expect(() => new Function(script.text)).not.toThrow();
    expect((await get(`${app}/no`)).status).toBe(404);
  });
});

describe('requests that are not its own', () => {
  test.each<[string, number, Record<string, string>]>([
    ['from another site’s page', 403, { origin: 'http://evil.example' }],
    ['as a plain form', 415, { 'content-type': 'text/plain' }],
  ])('%s are refused', async (_what, status, headers) => {
    const app = await served();
    expect((await post(`${app}/tools/book`, { flight: 2 }, headers)).status).toBe(status);
    expect(JSON.parse((await get(`${app}/state`)).text).calls).toBe(0);
  });

  test('from its own page are answered', async () => {
    const app = await served();
    expect((await post(`${app}/tools/book`, { flight: 2 }, { origin: app })).status).toBe(200);
  });

  test('under another name that leads here are refused', async () => {
    const { port } = new URL(await served());
    const status = await new Promise((resolve, reject) => {
      const options = { port, host: '127.0.0.1', path: '/state', headers: { host: `evil.example:${port}` } };
      request(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });

  test('that are too large, or no reset, or of another method are refused', async () => {
    const app = await served();
    expect((await post(`${app}/reset`, { seed: 1 })).status).toBe(422);
    expect((await post(`${app}/reset`, 'x')).status).toBe(422);
    expect((await fetch(`${app}/state`, { method: 'DELETE' })).status).toBe(405);
    const large = await post(`${app}/tools/search`, { day: 'x'.repeat(1_100_000) }).catch(() => null);
    expect(large?.status ?? 413).toBe(413);
  });
});

test('a port that is taken is named', async () => {
  const { port } = new URL(await served());
  const desk = await ToolDesk.open(async () => flightBundle());
  await expect(serveDesk(desk, Number(port))).rejects.toThrow(`--port ${port}: cannot be used (EADDRINUSE)`);
});

test('a bundle that cannot be read any more leaves the desk as it is', async () => {
  let isBroken = false;
  const load = async () => {
    if (isBroken) throw new Error('tools.ts cannot be loaded');
    return flightBundle();
  };
  const desk = await ToolDesk.open(load);
  await desk.call('book', '{"flight": 2}');
  isBroken = true;
  await expect(desk.reset()).rejects.toThrow('cannot be loaded');
  expect(await desk.state()).toMatchObject({ calls: 1 });
});
