import { filePathOf } from '../images.js';
import { imagesOf } from '../message.js';
import type { TrajectoryData } from '../schema.js';

/** Where an image of a chat was saved; null where it was not. */
export type ImagePathOf = (source: string) => string | null;

/** The path of an image that is a file of this machine; null for any other. */
export const localPath: ImagePathOf = (source) => {
  if (/^[a-z][a-z0-9+.-]+:/i.test(source) && !/^file:/i.test(source)) return null;
  try {
    return filePathOf(source);
  } catch {
    return null;
  }
};

/** Where an image was saved, and where it is of itself in the eyes of a format. */
export function savedOr(saved: ImagePathOf | undefined, otherwise: ImagePathOf): ImagePathOf {
  return (source) => saved?.(source) ?? otherwise(source);
}

/** Columns that a file has in all of its rows or in none: a loader takes the first rows' columns for all. */
export interface ExportColumns {
  images: boolean;
  tools: boolean;
}

export interface ExportOptions {
  /** The columns of the whole file: `withColumnsOf` adds them up. */
  columns: ExportColumns;
  /** Where images of chats were saved, for the formats that hold paths. Others are files, or URLs that a format opens. */
  imagePath?: ImagePathOf;
}

export const NO_COLUMNS: ExportColumns = { images: false, tools: false };

/** The columns that a trajectory needs, added to those that others need. */
export function withColumnsOf(columns: ExportColumns, { timesteps }: TrajectoryData): ExportColumns {
  return {
    tools: columns.tools || timesteps.some(({ available_tool_schemas: tools }) => (tools?.length ?? 0) > 0),
    images:
      columns.images ||
      timesteps.some(({ chats }) =>
        chats.some(({ messages }) => messages.some((message) => imagesOf(message).length > 0)),
      ),
  };
}
