import type { ArtifactStore } from '../storage/artifact-store.js';
import { notesKey } from '../storage/paths.js';
import { readJson } from '../storage/stored-file.js';

/** Verdict of a person on a unit. */
export interface Note {
  id: string;
  trial: number;
  /** null: none, only a note. */
  verdict: boolean | null;
  text: string;
}

/** What people have noted on an experiment. */
export interface Notes {
  tags: string[];
  notes: Note[];
}

/** Reads what people have noted on an experiment. */
export async function readNotes(store: ArtifactStore): Promise<Notes> {
  return { tags: [], notes: [], ...(await readJson<Partial<Notes>>(store, notesKey())) };
}
