import { describe } from 'vitest';
import { MemoryStore } from '../../src/storage/memory-store.js';
import { testArtifactStore } from './artifact-store-contract.js';

describe('a store in this process', () => {
  testArtifactStore({
    makeStore: async () => new MemoryStore('file:///in-this-process'),
    leftovers: async () => [],
  });
});
