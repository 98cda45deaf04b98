/** API discovery: groups, their resources, and the parameters of requests. */

import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { apiError } from "./api_error.ts";
import {
  formatApiVersion,
  kinds,
  type ObjectKind,
} from "../state/kubernetes_objects.ts";

const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];

const shortNames: Readonly<Record<string, readonly string[]>> = {
  configmaps: ["cm"],
  daemonsets: ["ds"],
  deployments: ["deploy"],
  events: ["ev"],
  namespaces: ["ns"],
  nodes: ["no"],
  poddisruptionbudgets: ["pdb"],
  pods: ["po"],
  replicasets: ["rs"],
  serviceaccounts: ["sa"],
  services: ["svc"],
};

/** Kinds that `kubectl get all` includes. */
const inAll: ReadonlySet<string> = new Set([
  "daemonsets",
  "deployments",
  "pods",
  "replicasets",
  "services",
]);

const parts: readonly object[] = [
  {
    name: "pods/eviction",
    singularName: "",
    namespaced: true,
    group: "policy",
    version: "v1",
    kind: "Eviction",
    verbs: ["create"],
  },
  {
    name: "pods/log",
    singularName: "",
    namespaced: true,
    kind: "Pod",
    verbs: ["get"],
  },
];

const all: readonly ObjectKind[] = Object.values(kinds);
const groups = [...new Set(all.map(({ group }) => group))];

/**
 * Handles a discovery request.
 *
 * @param path Without a query.
 * @returns JSON; `undefined` if the path refers to objects.
 * @throws {ApiError} If there is no such group.
 */
export function discoveryAt(path: string): unknown {
  const [first = "", ...rest] = path.split("/").filter(Boolean);
  if (first === "openapi" && rest[0] === "v3") {
    return describeOpenApi(rest.slice(1));
  }
  if (first === "openapi" && rest[0] === "v2") return openApi2;
  if (first === "api" && rest.length === 0) return coreVersions;
  if (first === "api" && rest.length === 1) return listResources("", rest[0]);
  if (first !== "apis" || rest.length > 2) return undefined;
  const [group, version] = rest;
  if (group === undefined) {
    return {
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: groups.filter((name) => name !== "").map(describeGroup),
    };
  }
  if (!groups.includes(group)) throw apiError("unknownPath");
  return version === undefined
    ? { kind: "APIGroup", apiVersion: "v1", ...describeGroup(group) }
    : listResources(group, version);
}

const coreVersions = {
  kind: "APIVersions",
  versions: ["v1"],
  serverAddressByClientCIDRs: [],
};

function describeGroup(name: string) {
  const version = { groupVersion: `${name}/v1`, version: "v1" };
  return { name, versions: [version], preferredVersion: version };
}

function listResources(group: string, version: string | undefined) {
  if (version !== "v1") throw apiError("unknownPath");
  const own = all.filter((kind) => kind.group === group);
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: group === "" ? "v1" : `${group}/v1`,
    resources: [
      ...own.map(({ plural, kind, namespaced }) => ({
        name: plural,
        singularName: kind.toLowerCase(),
        namespaced,
        kind,
        verbs,
        shortNames: shortNames[plural] ?? [],
        ...inAll.has(plural) && { categories: ["all"] },
      })),
      ...group === "" ? parts : [],
    ],
  };
}

const info = { title: "Kubernetes", version: "v1" };

/** Without definitions, clients do not validate fields themselves. */
const openApi2 = { swagger: "2.0", info, paths: {}, definitions: {} };

/** OpenAPI v2 in the only format that `kubectl` requests. */
export const openApi2Protobuf = {
  /** Accepted media types; that of `kubectl` before 1.25 is not valid. */
  accepted: [
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
  ],
  /** Returned media type. */
  type: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
  /** `openapi.v2.Document`: its `swagger` is field 1, its `info` 2, and in that `title` 1 and `version` 2. */
  bytes: new BinaryWriter().uint32(10).string(openApi2.swagger)
    .uint32(18).fork()
    .uint32(10).string(info.title).uint32(18).string(info.version)
    .join().finish(),
};

/** Paths of groups, or of the objects of a group; object schemas are omitted. */
function describeOpenApi(rest: readonly string[]) {
  if (rest.length === 0) {
    const paths = groups.map((group) => {
      const place = group === "" ? "api/v1" : `apis/${group}/v1`;
      return [place, { serverRelativeURL: `/openapi/v3/${place}` }];
    });
    return { paths: Object.fromEntries(paths) };
  }
  const group = rest[0] === "api" ? "" : rest[1] ?? "";
  const own = all.filter((kind) => kind.group === group);
  if (own.length === 0) throw apiError("unknownPath");
  return {
    openapi: "3.0.0",
    info,
    paths: Object.fromEntries(own.map(formatPath)),
    components: { schemas: {} },
  };
}

/** Clients check here if the server supports field validation. */
function formatPath(kind: ObjectKind) {
  const version = formatApiVersion(kind);
  const root = kind.group === "" ? `/api/${version}` : `/apis/${version}`;
  const inside = kind.namespaced ? "/namespaces/{namespace}" : "";
  const parameters = ["dryRun", "fieldManager", "fieldValidation", "force"]
    .map((name) => ({ name, in: "query", schema: { type: "string" } }));
  return [`${root}${inside}/${kind.plural}/{name}`, {
    patch: {
      parameters,
      responses: {},
      "x-kubernetes-action": "patch",
      "x-kubernetes-group-version-kind": {
        group: kind.group,
        version: "v1",
        kind: kind.kind,
      },
    },
  }];
}
