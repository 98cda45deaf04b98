/** Configuration of services that extensions bring. */

import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";
import { assignment, openText, string } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";
import { list, struct } from "./shapes.ts";

/** `ExtensionServiceConfig`. */
export const extensionService: DocumentKind = {
  kind: "ExtensionServiceConfig",
  summary: "Files and environment of a service that an extension brings",
  named: true,
  fields: {
    name: {
      shape: openText,
      always: true,
      summary: "Name of the service, without its prefix",
      examples: [{ value: "nut-client" }],
    },
    configFiles: {
      shape: list(struct({
        content: {
          shape: string,
          always: true,
          required: true,
          summary: "The file itself",
          examples: [{ value: "MONITOR ups@10.0.0.10 1 user pass slave" }],
        },
        mountPath: {
          shape: openText,
          always: true,
          required: true,
          summary: "Where the service finds the file",
          examples: [{ value: "/usr/local/etc/nut/upsmon.conf" }],
        },
      })),
      merge: ["mountPath"],
      summary: "Files for the service",
    },
    environment: {
      shape: list(assignment),
      summary: "Variables as NAME=value",
      examples: [{ value: ["UPS_NAME=ups"] }],
    },
  },
  examples: [{
    value: {
      name: "nut-client",
      configFiles: [{
        content: "MONITOR ups@10.0.0.10 1 user pass slave\n",
        mountPath: "/usr/local/etc/nut/upsmon.conf",
      }],
      environment: ["UPS_NAME=ups"],
    },
  }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const parts = ["configFiles", "environment"];
  if (parts.every((key) => document.get(key).items().length === 0)) {
    yield document.error(
      'Neither "configFiles" nor "environment" is given',
      "Give at least one of them",
    );
  }
}
