/** Where calls get leave to begin. */
export interface CallLeave {
  /** Resolves when the call may begin; with false where none may any more. */
  take(): Promise<boolean>;
  /** A call that had leave has ended; `answered` is false where it failed. */
  ended(answered: boolean): void;
  /** Refuses those who wait, and whoever comes. */
  close(): void;
  isWaitedFor(): boolean;
}
