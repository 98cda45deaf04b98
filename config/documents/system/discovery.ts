import { discoveryEndpoint } from "../../../talos.ts";
import { base64Length, parseUrl } from "../checks.ts";
import { example32Bytes, exampleOther32Bytes } from "../example_material.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const discoveryService = documentKind(
  discoveryServiceRules,
)`
DiscoveryServiceConfig | named, since 1.14 | A discovery service
  = {"name": "default", "endpoint": "${discoveryEndpoint}"}
  name     | text, always | Name of the service | "default"
  endpoint | url, always, required | URL of the discovery service | "${discoveryEndpoint}"
`;

function* discoveryServiceRules(document: Cursor): Iterable<Problem> {
  const given = document.get("endpoint");
  const text = given.text() ?? "";
  const { scheme, host } = parseUrl(text) ?? { scheme: "", host: "" };
  if (text === "") return;
  if (!["http", "https", "grpc"].includes(scheme) || host === "") {
    yield given.error(
      `Discovery service "${text}" is not an absolute URL without a path`,
      `Write a URL such as ${discoveryEndpoint}`,
    );
  }
}

export const discoveryIdentity = documentKind(
  discoveryIdentityRules,
)`
DiscoveryIdentityConfig | since 1.14 | Identity of the cluster for discovery
  = {"clusterID": "${example32Bytes}", "clusterSecret": "${exampleOther32Bytes}"}
  clusterID     | text, always, required | Cluster id, 32 bytes in base64 | "${example32Bytes}"
  clusterSecret | string, always, required, secret | Secret shared by all cluster members, 32 bytes in base64
    = "${exampleOther32Bytes}"
`;

function* discoveryIdentityRules(document: Cursor): Iterable<Problem> {
  const given = document.get("clusterSecret");
  const text = given.text() ?? "";
  if (text === "" || base64Length(text) === 32) return;
  yield given.error(
    "The cluster secret is not 32 bytes in base64",
    "Use the secret of the other nodes of the cluster",
  );
}
