import { discoveryEndpoint } from "../../../dialect.ts";
import { base64Length, parseUrl } from "../checks.ts";
import { example32Bytes, exampleOther32Bytes } from "../example_material.ts";
import { openText, string, url } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, nameField } from "../shapes.ts";

/** `DiscoveryServiceConfig`. */
export const discoveryService: DocumentKind = {
  kind: "DiscoveryServiceConfig",
  summary: "A discovery service",
  named: true,
  since: "1.14",
  fields: {
    name: nameField("Name of the service", "default"),
    endpoint: field(url, "URL of the discovery service", {
      always: true,
      required: true,
      example: discoveryEndpoint,
    }),
  },
  examples: [{ value: { name: "default", endpoint: discoveryEndpoint } }],
  *rules(document) {
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
  },
};

/** `DiscoveryIdentityConfig`. */
export const discoveryIdentity: DocumentKind = {
  kind: "DiscoveryIdentityConfig",
  summary: "Identity of the cluster for discovery",
  named: false,
  since: "1.14",
  fields: {
    clusterID: field(openText, "Cluster id, 32 bytes in base64", {
      always: true,
      required: true,
      example: example32Bytes,
    }),
    clusterSecret: field(
      string,
      "Secret shared by all cluster members, 32 bytes in base64",
      {
        always: true,
        required: true,
        secret: true,
        example: exampleOther32Bytes,
      },
    ),
  },
  examples: [{
    value: { clusterID: example32Bytes, clusterSecret: exampleOther32Bytes },
  }],
  *rules(document) {
    const given = document.get("clusterSecret");
    const text = given.text() ?? "";
    if (text === "" || base64Length(text) === 32) return;
    yield given.error(
      "The cluster secret is not 32 bytes in base64",
      "Use the secret of the other nodes of the cluster",
    );
  },
};
