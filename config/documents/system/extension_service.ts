/** Configuration of services that extensions bring. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { assignment, openText, string } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, list, nameField, struct } from "../shapes.ts";

/** `ExtensionServiceConfig`. */
export const extensionService: DocumentKind = {
  kind: "ExtensionServiceConfig",
  summary: "Files and environment for an extension service",
  named: true,
  fields: {
    name: nameField(
      "Name of the extension service, without the ext- prefix",
      "nut-client",
    ),
    configFiles: field(
      list(struct({
        content: field(string, "Contents of the file", {
          always: true,
          required: true,
          example: "MONITOR ups@10.0.0.10 1 user pass slave",
        }),
        mountPath: field(
          openText,
          "Path of the file in the service's container",
          {
            always: true,
            required: true,
            example: "/usr/local/etc/nut/upsmon.conf",
          },
        ),
      })),
      "Files mounted into the service's container",
      { merge: ["mountPath"] },
    ),
    environment: field(
      list(assignment),
      "Environment variables, as NAME=value",
      {
        example: ["UPS_NAME=ups"],
      },
    ),
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
