/** First bytes of the image formats that models and training sets accept; -1 stands for any byte. */
const SIGNATURES: readonly (readonly [mediaType: string, bytes: readonly number[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46, -1, -1, -1, -1, 0x57, 0x45, 0x42, 0x50]],
  ['image/bmp', [0x42, 0x4d]],
  ['image/tiff', [0x49, 0x49, 0x2a, 0x00]],
  ['image/tiff', [0x4d, 0x4d, 0x00, 0x2a]],
];

/** Detects the media type of an image by its first bytes; null for anything else. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const found = SIGNATURES.find(([, signature]) =>
    signature.every((byte, index) => byte === -1 || byte === bytes[index]),
  );
  return found?.[0] ?? null;
}
