import { imageSource, type Message } from '../message.js';
import type { ImagePathOf } from './options.js';
import { refuse } from './refusal.js';

/** Images of a row, in the order of their placeholders in its texts. */
export class RowImages {
  readonly paths: string[] = [];

  /**
   * @param pathOf returns an image's path; null where the format cannot hold its source.
   * @param unsaved the reason for which such an image is refused.
   */
  constructor(
    private readonly pathOf: ImagePathOf,
    private readonly unsaved: string,
  ) {}

  add(source: string): void {
    this.paths.push(this.pathOf(source) ?? refuse(this.unsaved));
  }
}

/** Converts a message to a format's parts: texts, and a placeholder for each image, which the row gets. */
export function formatParts<Text, Place>(
  { content }: Message,
  images: RowImages,
  forms: { text: (text: string) => Text; image: () => Place },
): (Text | Place)[] {
  if (typeof content === 'string') return [forms.text(content)];
  return (content ?? []).map((part) => {
    if (part.type === 'text') return forms.text(part.text);
    if (part.type === 'image_file') return refuse('an image is stored by a provider under an id');
    const place = forms.image();
    images.add(imageSource(part));
    return place;
  });
}
