/** What Node.js programs import as `reprise/trajectories`: the same as anywhere, with a reader of images of their own. */
import { setImageReader } from '../trajectories/images.js';
import { imageReader } from './image-reader.js';

setImageReader(imageReader);

export * from '../trajectories/index.js';
