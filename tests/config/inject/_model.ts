/** A model of injection, without its notation. */

import type { Json } from "./_manifests.ts";

type Fields = Readonly<Record<string, Json>>;

/** Objects that come out when objects go in; mappings are compared, so their order is free. */
export function model(objects: readonly Json[]): Json[] {
  const known = new Set(objects.flatMap(accountsIn));
  return objects.flatMap((object) => {
    if (object === null) return [];
    const made: Json[] = [];
    if (readKind(object) !== "List") {
      return [inject(object, known, made), ...made];
    }
    const items = at(object, "items") as Json[];
    const inner = items.map((item) => inject(item, known, made));
    return [{ ...object as Fields, items: [...inner, ...made] }];
  });
}

function accountsIn(object: Json): string[] {
  if (readKind(object) === "List") {
    return (at(object, "items") as Json[]).flatMap(accountsIn);
  }
  return readKind(object) === "ServiceAccount"
    ? [objectId(object, String(at(object, "metadata", "name")))]
    : [];
}

function inject(object: Json, known: Set<string>, made: Json[]): Json {
  const paths: Record<string, string[]> = {
    Pod: ["spec"],
    Deployment: ["spec", "template", "spec"],
    CronJob: ["spec", "jobTemplate", "spec", "template", "spec"],
  };
  const path = paths[readKind(object)];
  if (path === undefined) return object;
  const account = `${at(object, "metadata", "name")}-talos-secrets`;
  const id = objectId(object, account);
  if (!known.has(id)) {
    known.add(id);
    const namespace = at(object, "metadata", "namespace");
    made.push({
      apiVersion: "talos.dev/v1alpha1",
      kind: "ServiceAccount",
      metadata: namespace === undefined
        ? { name: account }
        : { name: account, namespace },
      spec: { roles: ["os:reader"] },
    });
  }
  return replace(object, path, (pod) => {
    const container = (one: Json) => ({
      ...one as Fields,
      volumeMounts: join(at(one, "volumeMounts"), {
        name: "talos-secrets",
        mountPath: "/var/run/secrets/talos.dev",
      }),
    });
    const before = at(pod, "initContainers");
    return {
      ...pod as Fields,
      ...(Array.isArray(before) && { initContainers: before.map(container) }),
      containers: (at(pod, "containers") as Json[]).map(container),
      volumes: join(at(pod, "volumes"), {
        name: "talos-secrets",
        secret: { secretName: account },
      }),
    };
  });
}

function join(list: Json | undefined, item: Json): Json {
  const items = Array.isArray(list) ? list as Json[] : [];
  return [...items.filter((one) => at(one, "name") !== "talos-secrets"), item];
}

function replace(
  value: Json,
  [key, ...path]: readonly string[],
  change: (value: Json) => Json,
): Json {
  if (key === undefined) return change(value);
  const inner = replace((value as Fields)[key] ?? null, path, change);
  return { ...value as Fields, [key]: inner };
}

function at(value: Json, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, key) => (found as Fields | undefined)?.[key],
    value,
  );
}

function readKind(object: Json): string {
  return object === null ? "" : String(at(object, "kind"));
}

function objectId(object: Json, name: string): string {
  return `${at(object, "metadata", "namespace") ?? ""}/${name}`;
}
