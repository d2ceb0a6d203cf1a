import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { LOG_FILE_BYTES, LOG_FILES } from '../contracts/logger.js';

/** Limits of a log on disk. */
export interface LogFileLimits {
  /** Bytes of a file, after which another one is begun. Default: 16 MiB. */
  maxBytes?: number;
  /** Number of files, the current one included; the oldest are deleted. Default: 5. */
  maxFiles?: number;
}

/**
 * File of a log that one process writes: once it is full, it is renamed to `NAME.1`, that to `NAME.2`, and so on. A
 * line is on its way to the disk when `write` returns.
 * @throws Error of the file system
 */
export class LogFile {
  private readonly path: string;
  private readonly maxBytes: number;
  private readonly maxFiles: number;
  private bytes: number;

  constructor(path: string, { maxBytes = LOG_FILE_BYTES, maxFiles = LOG_FILES }: LogFileLimits = {}) {
    this.path = resolve(path);
    this.maxBytes = maxBytes;
    this.maxFiles = maxFiles;
    mkdirSync(dirname(this.path), { recursive: true });
    this.bytes = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  write(line: string): void {
    const text = `${line}\n`;
    const size = Buffer.byteLength(text);
    if (this.bytes > 0 && this.bytes + size > this.maxBytes) this.rotate();
    appendFileSync(this.path, text);
    this.bytes += size;
  }

  private rotate(): void {
    const named = (file: number) => (file === 0 ? this.path : `${this.path}.${file}`);
    rmSync(named(this.maxFiles - 1), { force: true });
    for (let file = this.maxFiles - 2; file >= 0; file--) {
      if (statSync(named(file), { throwIfNoEntry: false }) !== undefined)
        renameSync(named(file), named(file + 1));
    }
    this.bytes = 0;
  }
}
