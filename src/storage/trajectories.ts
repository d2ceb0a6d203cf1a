/** Entry point `reprise/trajectories` for Node.js programs: the same as elsewhere, with a reader of images. */
import { setImageReader } from '../trajectories/images.js';
import { imageReader } from './image-reader.js';

setImageReader(imageReader);

export * from '../trajectories/index.js';
