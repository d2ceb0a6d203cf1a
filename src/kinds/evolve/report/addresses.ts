/** Returns the HTML id of a scaffold's section, as links have it after the `#`. */
export function scaffoldAnchor(id: string): string {
  return `scaffold-${encoded(id)}`;
}

/** Returns the address of a file of the experiment's folder for a page in that folder. It is always relative. */
export function fileAddress(path: string): string {
  return `./${path.split('/').map(encoded).join('/')}`;
}

/** Encodes a text. Halves of surrogate pairs have no encoding. */
const encoded = (text: string) => encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'));
