/** JSON Schema of events, for programs that read them. */

import { eventTypes } from "../event.ts";
import type {
  FieldType,
  ValueField,
  ValueFields,
} from "../../runbook_cel/field.ts";
import { type EventShape, eventShapes } from "../event_data.ts";
import type { JsonSchema } from "../../../config/documents/schema.ts";

/**
 * Makes the schema of one event (draft 2020-12).
 *
 * Unknown names under `data` are accepted: later versions may add some.
 */
export function eventSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "RunEvent",
    description: "Event of a runbook run",
    type: "object",
    required: ["v", "seq", "ts", "run", "type", "data"],
    properties: {
      v: { const: 1, description: "Version of the format" },
      seq: number("Sequence number within one process, from 1", 1),
      ts: {
        type: "string",
        pattern: instant,
        description: "Time, ISO 8601",
      },
      run: text("Id of the run"),
      type: { enum: [...eventTypes], description: "Type of the event" },
      path: text("Path of the step"),
      node: text("Node"),
      attempt: number("Number of the attempt, from 1", 1),
      data: { type: "object", description: "Details of the event" },
    },
    additionalProperties: false,
    allOf: eventTypes.map((type) => ({
      if: { properties: { type: { const: type } }, required: ["type"] },
      then: particulars(eventShapes[type]),
    })),
  };
}

const instant = String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`;

function particulars(shape: EventShape): JsonSchema {
  return {
    type: "object",
    description: shape.summary,
    required: [
      ...shape.path ? ["path"] : [],
      ...shape.node ? ["node"] : [],
    ],
    properties: { data: schemaOfFields(shape.data) },
  };
}

function schemaOfFields(fields: ValueFields): JsonSchema {
  const entries = Object.entries(fields);
  return {
    type: "object",
    required: entries.filter(([, { required }]) => required)
      .map(([name]) => name),
    properties: Object.fromEntries(
      entries.map(([name, field]) => [name, toSchema(field)]),
    ),
  };
}

const types: Partial<Record<FieldType, string>> = {
  int: "integer",
  double: "number",
  bool: "boolean",
  list: "array",
  map: "object",
  object: "object",
};

function toSchema(field: ValueField): JsonSchema {
  return {
    type: types[field.type] ?? "string",
    description: field.summary,
    ...field.items === undefined ? {} : toItems(field.type, field.items),
    ...field.fields === undefined ? {} : schemaOfFields(field.fields),
  };
}

function toItems(type: FieldType, items: ValueField): JsonSchema {
  const schema = toSchema(items);
  return type === "map" ? { additionalProperties: schema } : { items: schema };
}

function text(description: string): JsonSchema {
  return { type: "string", minLength: 1, description };
}

function number(description: string, minimum: number): JsonSchema {
  return { type: "integer", minimum, description };
}
