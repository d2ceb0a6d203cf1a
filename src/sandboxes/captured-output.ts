import type { Readable } from 'node:stream';

/** Beginning of a stream, up to a limit in bytes; the rest is read and dropped. */
export class CapturedOutput {
  private readonly chunks: Buffer[] = [];
  private kept = 0;
  overflowed = false;

  constructor(
    stream: Readable,
    limit: number,
    /** Called once, when the stream exceeds the limit. */
    onOverflow: () => void,
  ) {
    stream.on('data', (chunk: Buffer) => {
      const room = limit - this.kept;
      if (chunk.length > room && !this.overflowed) {
        this.overflowed = true;
        onOverflow();
      }
      if (room <= 0) return;
      const part = chunk.subarray(0, room);
      this.chunks.push(part);
      this.kept += part.length;
    });
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}
