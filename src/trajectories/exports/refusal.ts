/** Content that a format cannot hold. The message is for people. */
export class ExportRefusedError extends Error {
  override readonly name = 'ExportRefusedError';
}

export function refuse(reason: string): never {
  throw new ExportRefusedError(reason);
}
