import { writeFileSync } from 'node:fs';
import { allWords, WORDS_FILE } from './completion.js';

/** Writes the words that shells complete; run by `npm run build`. */
writeFileSync(WORDS_FILE, JSON.stringify(await allWords()));
process.exit(0);
