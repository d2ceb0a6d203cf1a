import { filePathOf } from '../images.js';
import { imagePartsOf } from '../message.js';
import type { TrajectoryData } from '../schema.js';

/** Path where an image of a chat was saved; null where it was not. */
export type ImagePathOf = (source: string) => string | null;

/** Returns the path of an image that is a file of this machine; null for any other. */
export const localPath: ImagePathOf = (source) => {
  if (/^[a-z][a-z0-9+.-]+:/i.test(source) && !/^file:/i.test(source)) return null;
  try {
    return filePathOf(source);
  } catch {
    return null;
  }
};

/** Returns the path of a saved image, otherwise the source that the format can use. */
export function savedOr(saved: ImagePathOf | undefined, otherwise: ImagePathOf): ImagePathOf {
  return (source) => saved?.(source) ?? otherwise(source);
}

/** Columns that a file has either in all of its rows or in none: loaders take the first rows' columns for all. */
export interface ExportColumns {
  images: boolean;
  tools: boolean;
}

export interface ExportOptions {
  /** Columns of the whole file, which `withColumnsOf` collects. */
  columns: ExportColumns;
  /** Paths of saved images, for the formats that hold paths. Other images are files, or URLs that a format can open. */
  imagePath?: ImagePathOf;
}

export const NO_COLUMNS: ExportColumns = { images: false, tools: false };

/** Adds the columns that a trajectory needs. */
export function withColumnsOf(columns: ExportColumns, { timesteps }: TrajectoryData): ExportColumns {
  return {
    tools: columns.tools || timesteps.some(({ available_tool_schemas: tools }) => (tools?.length ?? 0) > 0),
    images:
      columns.images ||
      timesteps.some(({ chats }) =>
        chats.some(({ messages }) => messages.some((message) => imagePartsOf(message).length > 0)),
      ),
  };
}
