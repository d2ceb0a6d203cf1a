import { createHash, randomBytes } from 'node:crypto';
import { openStore } from '../../src/storage/open.js';

// Run as a process of its own by kill.test.ts, which kills it at any moment: `endless-writer.ts <store's address>`.
// Every object starts with the SHA-256 of what follows, so that a partial one shows.

const store = openStore(process.argv[2] ?? '');

function sealed(): Buffer {
  const content = randomBytes(Math.floor(Math.random() * 2_000_000));
  return Buffer.concat([createHash('sha256').update(content).digest(), content]);
}

async function* inPieces(body: Buffer) {
  for (let start = 0; start < body.length; start += 100_000) yield body.subarray(start, start + 100_000);
}

for (let round = 0; ; round += 1) {
  const slot = round % 4;
  await Promise.all([
    store.write(`replaced/${slot}`, sealed()),
    store.write(`once/${process.pid}-${round}`, sealed(), { ifAbsent: true }),
    store.writeStream(`streamed/${slot}`, inPieces(sealed())),
  ]);
  if (round === 0) process.stdout.write('writing\n');
}
