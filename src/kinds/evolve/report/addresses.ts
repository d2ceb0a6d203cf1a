/** The id of a scaffold's place on the page, as it stands in a link behind the `#`. */
export function scaffoldAnchor(id: string): string {
  return `scaffold-${encoded(id)}`;
}

/** A file of the experiment's folder, as a page in that folder links to it. Can be nothing but a relative address. */
export function fileAddress(path: string): string {
  return `./${path.split('/').map(encoded).join('/')}`;
}

/** Halves of surrogate pairs have no encoding. */
const encoded = (text: string) => encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'));
