import { createHash } from 'node:crypto';
import { resolveLocation } from '../config/paths.js';
import { withoutTrailing } from '../contracts/trailing.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { imageReader } from '../storage/image-reader.js';
import { openStore } from '../storage/open.js';
import type { ImagePathOf } from '../trajectories/exports/index.js';
import { imageTypeOf } from '../trajectories/image-types.js';
import { type ImageLimits, readImage } from '../trajectories/images.js';
import { type AnyImagePart, imagePartsOf, imageSource } from '../trajectories/message.js';
import type { TrajectoryData } from '../trajectories/schema.js';

const REPORTED_CHARACTERS = 80;
/** Images that a run has stored with its questions. */
const OWN = /^images\/[0-9a-f]{64}\.\w+$/;

/** Folder of the images of chats, each saved once under the hash of its bytes. */
export class SavedImages {
  /** Reasons why images were not saved, by the beginning of their source. */
  readonly refused = new Map<string, string>();
  /** Paths of images that are not embedded in the chat; null where an image was refused. */
  private readonly known = new Map<string, string | null>();
  private readonly folder: string;

  /**
   * @param folder a path or an `s3://` address; rows hold the paths of images as it is written here.
   * @param experiment whose own images are read always
   */
  constructor(
    folder: string,
    private readonly limits: Pick<ImageLimits, 'hosts' | 'folders'>,
    private readonly experiment: ArtifactStore,
  ) {
    this.folder = withoutTrailing(folder, /\//);
  }

  /** Saves every readable image of a trajectory; returns a lookup of their paths. */
  async saveAll({ timesteps }: TrajectoryData): Promise<ImagePathOf> {
    const parts = timesteps.flatMap(({ chats }) =>
      chats.flatMap(({ messages }) => messages.flatMap(imagePartsOf)),
    );
    // Later chats contain the same images. Embedded images are large and not remembered for other trajectories.
    const saved = new Map<string, string | null>();
    for (const part of parts) {
      const source = imageSource(part);
      if (!saved.has(source)) saved.set(source, await this.pathOf(part, source));
    }
    return (source) => saved.get(source) ?? null;
  }

  private async pathOf(part: AnyImagePart, source: string): Promise<string | null> {
    const known = this.known.get(source);
    if (known !== undefined) return known;
    const path = await this.save(part, source);
    if (!/^data:/i.test(source)) this.known.set(source, path);
    return path;
  }

  private async read(part: AnyImagePart, source: string): ReturnType<typeof readImage> {
    const bytes = OWN.test(source) ? await this.experiment.read(source) : null;
    const media_type = bytes === null ? null : imageTypeOf(bytes);
    if (bytes === null || media_type === null) return readImage(part, imageReader, this.limits);
    return { bytes, media_type };
  }

  private async save(part: AnyImagePart, source: string): Promise<string | null> {
    let image: Awaited<ReturnType<typeof readImage>>;
    try {
      image = await this.read(part, source);
    } catch (error) {
      this.refused.set(source.slice(0, REPORTED_CHARACTERS), (error as Error).message);
      return null;
    }
    const { bytes, media_type } = image;
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
    const name = `${hash}.${media_type.replace('image/', '')}`;
    await openStore(resolveLocation(this.folder, process.cwd())).write(name, bytes, { ifAbsent: true });
    return `${this.folder}/${name}`;
  }
}
