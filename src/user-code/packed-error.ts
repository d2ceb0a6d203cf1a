import { InvalidInputError } from '../config/errors.js';
import {
  InfrastructureError,
  infrastructureMessage,
  isInfrastructureError,
} from '../contracts/infrastructure-error.js';
import { asError } from '../contracts/run-user-code.js';
import { ComparisonUnavailableError, GradingLimitError } from '../grading/grade.js';

/** An error in a form for another thread, which does not preserve its class. */
export interface PackedError {
  kind: 'input' | 'limit' | 'unavailable' | 'infrastructure' | 'other';
  message: string;
  field?: string | undefined;
}

export function packError(thrown: unknown): PackedError {
  const error = asError(thrown);
  const { message } = error;
  if (error instanceof InvalidInputError) return { kind: 'input', message, field: error.field };
  if (error instanceof GradingLimitError) return { kind: 'limit', message };
  // The reason alone, without the class's own prefix.
  if (error instanceof ComparisonUnavailableError)
    return { kind: 'unavailable', message: asError(error.cause).message };
  if (isInfrastructureError(error)) return { kind: 'infrastructure', message: infrastructureMessage(error) };
  return { kind: 'other', message };
}

export function unpackError({ kind, message, field }: PackedError): Error {
  switch (kind) {
    case 'input':
      return new InvalidInputError(message, field);
    case 'limit':
      return new GradingLimitError(message);
    case 'unavailable':
      return new ComparisonUnavailableError(new Error(message));
    case 'infrastructure':
      return new InfrastructureError(message);
    case 'other':
      return new Error(message);
  }
}
