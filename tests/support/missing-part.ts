/** What a machine may lack, by the names that `REPRISE_WITHOUT` lists, with commas between them. */
export type Part =
  | 'chromium'
  | 'docker'
  | 'docker-compose'
  | 'mount'
  | 'production-server'
  | 'python'
  | 'versitygw';

/**
 * Whether the tests that need a part must be skipped: where it is missing. Says so loudly. With `REPRISE_REQUIRE_ALL=1`
 * it throws instead, but for the parts that `REPRISE_WITHOUT` names: those were tried, and could not be had.
 * @param missing why the part is not here and what to do, or null where it is.
 */
export function mustSkipWithout(part: Part, missing: string | null): boolean {
  if (missing === null) return false;
  const excused = (process.env.REPRISE_WITHOUT ?? '').split(',').includes(part);
  if (process.env.REPRISE_REQUIRE_ALL === '1' && !excused) throw new Error(missing);
  console.warn(`\n*** SKIPPED: ${missing}\n`);
  return true;
}
