import { z } from 'zod';
import { contentPartSchema, messageSchema, toolCallSchema } from './message.js';
import {
  areEvaluatedTrajectorySchema,
  chatSchema,
  llmEvaluatedTimeStepSchema,
  llmEvaluatedTrajectorySchema,
  taskSchema,
  timeStepSchema,
  trajectorySchema,
} from './schema.js';

const PUBLISHED = {
  trajectory: { title: 'Trajectory', schema: trajectorySchema },
  'llm-evaluated-trajectory': { title: 'LLMEvaluatedTrajectory', schema: llmEvaluatedTrajectorySchema },
  'are-evaluated-trajectory': { title: 'AREEvaluatedTrajectory', schema: areEvaluatedTrajectorySchema },
  task: { title: 'Task', schema: taskSchema },
};

/** Names of the parts in a published schema. */
const names = z.registry<{ id: string }>();
names.add(contentPartSchema, { id: 'ContentPart' });
names.add(toolCallSchema, { id: 'ToolCall' });
names.add(messageSchema, { id: 'Message' });
names.add(chatSchema, { id: 'Chat' });
names.add(timeStepSchema, { id: 'TimeStep' });
names.add(llmEvaluatedTimeStepSchema, { id: 'LLMEvaluatedTimeStep' });

export type PublishedSchema = keyof typeof PUBLISHED;
export const PUBLISHED_SCHEMAS = Object.keys(PUBLISHED) as PublishedSchema[];

/**
 * Builds the JSON Schema (draft 2020-12) of a row as Reprise writes it: with all fields and no others. Reading is more
 * tolerant (see `schema.ts`).
 */
export function trajectoryJsonSchema(kind: PublishedSchema = 'trajectory'): Record<string, unknown> {
  const { title, schema } = PUBLISHED[kind];
  const published = z.toJSONSchema(schema, {
    io: 'output',
    metadata: names,
    // A field that is always present needs no default.
    override: ({ jsonSchema }) => {
      delete jsonSchema.default;
    },
  });
  return { title: `Reprise ${title}`, ...published };
}
