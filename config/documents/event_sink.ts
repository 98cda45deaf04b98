/** Who is told what happens on the node. */

import { splitHostPort } from "./checks.ts";
import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";
import { openText } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";
import { field } from "./shapes.ts";

/** `EventSinkConfig`. */
export const eventSink: DocumentKind = {
  kind: "EventSinkConfig",
  summary: "Service that is told of the events of the node",
  named: false,
  fields: {
    endpoint: field(openText, "Host and port of the service", {
      always: true,
      required: true,
      example: "10.0.0.10:3247",
    }),
  },
  examples: [{ value: { endpoint: "events.example.org:3247" } }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const given = document.get("endpoint");
  const text = given.text() ?? "";
  if (text !== "" && splitHostPort(text) === undefined) {
    yield given.error(
      `Endpoint "${text}" is not a host with a port`,
      "Write host:port, and IPv6 addresses in brackets",
    );
  }
}
