import { provideTemporalBinary } from '../../src/workers/temporal-binary.js';

/** Sets up the Temporal binary once, before any test of the durable project. Building it takes minutes, once. */
export default async function setup(): Promise<void> {
  const path = await provideTemporalBinary({ say: (message) => void process.stderr.write(`${message}\n`) });
  process.env.REPRISE_TEMPORAL_BIN = path;
}
