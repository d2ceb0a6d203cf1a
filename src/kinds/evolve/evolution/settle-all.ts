/** Waits for all promises, even after one has failed; then rejects with the first failure. */
export async function settleAll<Value>(work: readonly Promise<Value>[]): Promise<Value[]> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<Value>).value);
}
