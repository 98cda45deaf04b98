/** Configuration of services that extensions bring. */

import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";
import { assignment, openText, string } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";
import { field, list, nameField, struct } from "./shapes.ts";

/** `ExtensionServiceConfig`. */
export const extensionService: DocumentKind = {
  kind: "ExtensionServiceConfig",
  summary: "Files and environment of a service that an extension brings",
  named: true,
  fields: {
    name: nameField("Name of the service, without its prefix", "nut-client"),
    configFiles: field(
      list(struct({
        content: field(string, "The file itself", {
          always: true,
          required: true,
          example: "MONITOR ups@10.0.0.10 1 user pass slave",
        }),
        mountPath: field(openText, "Where the service finds the file", {
          always: true,
          required: true,
          example: "/usr/local/etc/nut/upsmon.conf",
        }),
      })),
      "Files for the service",
      { merge: ["mountPath"] },
    ),
    environment: field(list(assignment), "Variables as NAME=value", {
      example: ["UPS_NAME=ups"],
    }),
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
