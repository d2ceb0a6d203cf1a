import { writeFile } from 'node:fs/promises';
import { buildBundle, PREBUILT_BUNDLE } from './bundle.js';

// A step of `npm run build`: bundling takes seconds, which a worker should not have to spend.
await writeFile(PREBUILT_BUNDLE, await buildBundle());
