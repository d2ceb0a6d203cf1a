import { imageSource, type Message } from '../message.js';
import type { ImagePathOf } from './options.js';
import { refuse } from './refusal.js';

/** The images of a row, in the order of their places in its texts. */
export class RowImages {
  readonly paths: string[] = [];

  /**
   * @param pathOf where an image is; null where the format cannot hold it as it is.
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

/** A message part by part, in a format's form: its texts, and a place for each image, which is added to the row's. */
export function partsOf<Text, Place>(
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
