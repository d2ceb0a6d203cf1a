import { once } from 'node:events';
import { Duplex } from 'node:stream';
import Docker from 'dockerode';
import { describe, expect, test } from 'vitest';
import { converse } from '../../src/sandboxes/runner-stream.js';

const docker = new Docker({ socketPath: '/nowhere' });
const NONCE = 'the-nonce';
const MAXIMUM = 1_000;

/** A piece of a container's output as Docker sends it: 1 is its standard output, 2 its standard error. */
function frame(stream: 1 | 2, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

function open() {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  return { stream, conversation: converse(docker, stream, NONCE, MAXIMUM) };
}

const answer = { type: 'result', nonce: NONCE, status: 'ok' };

describe('what a container says', () => {
  test('is heard in pieces of any size', async () => {
    const { stream, conversation } = open();
    const text = `{"type":"ready","protocol":3}\n${JSON.stringify(answer)}\n`;
    const bytes = Buffer.concat([...text].map((character) => frame(1, character)));
    for (let start = 0; start < bytes.length; start += 5) stream.push(bytes.subarray(start, start + 5));
    expect(await conversation.ready).toBe(3);
    expect(await conversation.answer).toEqual(answer);
  });

  test('is no answer without the nonce, on standard error, or before its line ends', async () => {
    const { stream, conversation } = open();
    stream.push(frame(1, `${JSON.stringify({ ...answer, nonce: 'guessed' })}\nnull\n[]\n7\nnot json\n`));
    stream.push(frame(2, `${JSON.stringify(answer)}\n`));
    stream.push(frame(1, JSON.stringify(answer)));
    stream.push(null);
    expect(await conversation.answer).toBeNull();
    expect(conversation.complaint()).toBe(JSON.stringify(answer));
  });

  test('is cut off when it is more than an answer can be', async () => {
    const { stream, conversation } = open();
    const closed = once(stream, 'close');
    for (let sent = 0; sent <= MAXIMUM; sent += 100) stream.push(frame(1, 'x'.repeat(100)));
    await closed;
    expect(await conversation.answer).toBeNull();
    expect(await conversation.ready).toBeNull();
  });

  test('is kept of standard error only at its end', async () => {
    const { stream, conversation } = open();
    for (let count = 0; count < 100; count += 1) stream.push(frame(2, `line ${count} ${'x'.repeat(90)}\n`));
    stream.push(null);
    await conversation.answer;
    expect(conversation.complaint().length).toBeLessThanOrEqual(4_000);
    expect(conversation.complaint()).toContain('line 99');
  });

  test('has ended where its connection fails', async () => {
    const { stream, conversation } = open();
    stream.destroy(new Error('read ECONNRESET'));
    expect(await conversation.answer).toBeNull();
  });
});
