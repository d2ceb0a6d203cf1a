import { type FoundBinary, findGoProgram } from './go-program.js';
import { mustSkipWithout } from './missing-part.js';

/** The S3 server of the tests: real, small, one process, objects as files. Apache-2.0. */
export const VERSITYGW_VERSION = 'v1.8.0';

/** See {@link findGoProgram}. */
export function findVersitygw(): Promise<FoundBinary> {
  return findGoProgram({
    name: 'versitygw',
    version: VERSITYGW_VERSION,
    module: 'github.com/versity/versitygw/cmd/versitygw',
    variable: 'REPRISE_VERSITYGW_BIN',
  });
}

/** Whether tests that need the server must be skipped: see {@link mustSkipWithout}. */
export function mustSkip(found: FoundBinary): boolean {
  const missing = 'path' in found ? null : `the S3 server versitygw is missing: ${found.missing}`;
  return mustSkipWithout('versitygw', missing);
}
