import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { parseUrl } from "../checks.ts";
import { documentKind } from "../table.ts";

/** The kind `SideroLinkConfig`. */
export const tunnel = documentKind(rules)`
SideroLinkConfig |  | Connection to a management service
  = {"apiUrl": "grpc://manage.example.org:8090?jointoken=abc", "uniqueToken": "4f0f2b5c"}
  apiUrl      | url, always, required, secret | API URL of the service, including the join token
    = "https://manage.example.org:8090/?jointoken=abc"
  uniqueToken | string, secret, since 1.10 | Token that tells nodes with the same UUID apart
`;

function* rules(document: Cursor): Iterable<Problem> {
  const given = document.get("apiUrl");
  const parts = parseUrl(given.text() ?? "");
  if (given.text() === undefined || parts === undefined) return;
  const { scheme, path } = parts;
  // The query contains a secret, so messages quote only parts of the URL.
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
