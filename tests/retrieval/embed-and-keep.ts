import { createHash } from 'node:crypto';
import { createEmbedder } from '../../src/language-models/embeddings/create.js';
import { VectorStore } from '../../src/retrieval/vector-store.js';
import { openStore } from '../../src/storage/open.js';

// Run as a process of its own by kill.test.ts, which kills it: `embed-and-keep.ts <base_url> <store's address> <texts>`.
// Prints what it paid as one JSON line.

const [baseUrl = '', address = '', count = ''] = process.argv.slice(2);

const store = new VectorStore({
  files: openStore(address).within('vectors'),
  embedder: await createEmbedder(
    { provider: 'openai', model: 'm', base_url: baseUrl, timeout_sec: 30, texts_per_request: 5 },
    { environment: {} },
  ),
  hash: (text) => createHash('sha256').update(text).digest('hex'),
  concurrentRequests: 1,
});
const { paid } = await store.vectorsOf(Array.from({ length: Number(count) }, (_, index) => `text ${index}`));
process.stdout.write(`${JSON.stringify(paid)}\n`);
