import { InvalidInputError } from '../config/errors.js';
import { readNumberedJsonLines } from '../storage/json-lines.js';
import { parseTrajectory } from '../trajectories/evaluated-trajectory.js';
import { InvalidTrajectoryError } from '../trajectories/read.js';
import type { Trajectory } from '../trajectories/trajectory.js';

/**
 * Reads the trajectories of a file, one a line.
 * @param name of the file, for messages
 * @throws InvalidInputError that names the line of an invalid trajectory, JsonLinesError for invalid JSON.
 */
export async function* readTrajectories(
  source: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Trajectory> {
  for await (const { line, value } of readNumberedJsonLines<unknown>(source, { name })) {
    try {
      yield parseTrajectory(value);
    } catch (error) {
      if (!(error instanceof InvalidTrajectoryError)) throw error;
      throw new InvalidInputError(`line ${line} of ${name}: ${error.message}`);
    }
  }
}
