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
  summary: "Connection to a management service",
  named: false,
  fields: {
    apiUrl: field(url, "API URL of the service, including the join token", {
      always: true,
      required: true,
      secret: true,
      example: "https://manage.example.org:8090/?jointoken=abc",
    }),
    uniqueToken: field(
      string,
      "Token that tells nodes with the same UUID apart",
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
      `Scheme "${scheme}" is not supported`,
      "Write https:// or grpc:// in front of the host",
    );
  }
  if (path !== "" && path !== "/") {
    yield given.error(
      `URL has the path "${path}"`,
      "Remove the path; a query may follow the port",
    );
  }
}
