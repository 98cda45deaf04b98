/** The tunnel to a management service. */

import { tunnelKind } from "../../../dialect.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { string, url } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { parseUrl } from "../checks.ts";
import { field } from "../shapes.ts";

/** The kind named {@linkcode tunnelKind}. */
export const tunnel: DocumentKind = {
  kind: tunnelKind,
  summary: "Tunnel through which a service manages the node",
  named: false,
  fields: {
    apiUrl: field(url, "Address of the service, with the token for joining", {
      always: true,
      required: true,
      secret: true,
      example: "https://manage.example.org:8090/?jointoken=abc",
    }),
    uniqueToken: field(
      string,
      "What distinguishes the node from others with the same hardware address",
      { since: "1.10", secret: true },
    ),
  },
  examples: [{
    value: {
      apiUrl: "grpc://manage.example.org:8090?jointoken=abc",
      uniqueToken: "4f0f2b5c",
    },
  }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const given = document.get("apiUrl");
  const parts = parseUrl(given.text() ?? "");
  if (given.text() === undefined || parts === undefined) return;
  const { scheme, path } = parts;
  // The query holds a secret, so only parts of the URL are named.
  if (scheme !== "https" && scheme !== "grpc") {
    yield given.error(
      `Scheme "${scheme}" is not one of the service's`,
      "Write https:// or grpc:// in front of the host",
    );
  }
  if (path !== "" && path !== "/") {
    yield given.error(
      `URL has the path "${path}"`,
      "End it with the port, or go on with the query",
    );
  }
}
