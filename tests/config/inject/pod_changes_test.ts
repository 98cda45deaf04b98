import assert from "node:assert/strict";
import { readManifest } from "../../../config/inject/manifest.ts";
import {
  accountNameOf,
  podChanges,
} from "../../../config/inject/pod_changes.ts";
import { mapOf } from "../../../config/inject/value.ts";
import { objectsOf } from "../../../config/inject/workload.ts";

function changesOf(text: string) {
  const manifest = readManifest(text);
  if ("fault" in manifest) throw new Error(manifest.fault);
  const [object] = objectsOf(manifest.value);
  if (object === undefined) throw new Error("expected an object");
  return podChanges(object);
}

const pod = (spec: string) =>
  `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: ${spec}}`;

const mount = mapOf({
  name: "talos-secrets",
  mountPath: "/var/run/secrets/talos.dev",
});
const volume = mapOf({
  name: "talos-secrets",
  secret: mapOf({ secretName: "p-talos-secrets" }),
});

Deno.test("podChanges gives every container a mount and the pod a volume", () => {
  assert.deepEqual(
    changesOf(
      pod("{initContainers: [{name: i}], containers: [{name: a}, {name: b}]}"),
    ),
    {
      state: "known",
      changes: [
        {
          path: ["spec", "initContainers", 0],
          key: "volumeMounts",
          drop: [],
          add: [mount],
        },
        {
          path: ["spec", "containers", 0],
          key: "volumeMounts",
          drop: [],
          add: [mount],
        },
        {
          path: ["spec", "containers", 1],
          key: "volumeMounts",
          drop: [],
          add: [mount],
        },
        { path: ["spec"], key: "volumes", drop: [], add: [volume] },
      ],
    },
  );
});

Deno.test("podChanges drops all that is called like ours", () => {
  assert.deepEqual(
    changesOf(pod(
      "{containers: [], volumes: [{name: talos-secrets}, {name: x}, {name: talos-secrets}]}",
    )),
    {
      state: "known",
      changes: [{
        path: ["spec"],
        key: "volumes",
        drop: [0, 2],
        add: [volume],
      }],
    },
  );
});

Deno.test("podChanges is content with what is there and comes last", () => {
  const right = "{secret: {secretName: p-talos-secrets}, name: talos-secrets}";
  assert.deepEqual(
    changesOf(pod(`{containers: [], volumes: [{name: x}, ${right}]}`)),
    { state: "known", changes: [] },
  );
  assert.deepEqual(
    changesOf(pod(`{containers: [], volumes: [${right}, {name: x}]}`)),
    {
      state: "known",
      changes: [{ path: ["spec"], key: "volumes", drop: [0], add: [volume] }],
    },
  );
});

Deno.test("podChanges finds pods in templates", () => {
  const found = changesOf(
    "{apiVersion: batch/v1, kind: CronJob, metadata: {name: p}, spec: {jobTemplate: {spec: {template: {spec: {}}}}}}",
  );
  assert.deepEqual(found, {
    state: "known",
    changes: [{
      path: ["spec", "jobTemplate", "spec", "template", "spec"],
      key: "volumes",
      drop: [],
      add: [volume],
    }],
  });
});

Deno.test("podChanges tells why an object cannot be changed", () => {
  const faults: Readonly<Record<string, string>> = {
    "{apiVersion: v1, kind: Pod, metadata: {generateName: p-}}":
      "it has no name",
    "{apiVersion: v1, kind: Pod, metadata: {name: 12}}": "its name is no text",
    "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: p}, spec: {}}":
      '"spec.template.spec" is no mapping',
    [pod("{containers: 1}")]: '"spec.containers" is no list',
    [pod("{volumes: {}}")]: '"spec.volumes" is no list',
    [pod("{initContainers: [a]}")]: '"spec.initContainers[0]" is no mapping',
    [pod("{containers: [{}, {volumeMounts: a}]}")]:
      '"spec.containers[1].volumeMounts" is no list',
  };
  for (const [text, fault] of Object.entries(faults)) {
    assert.deepEqual(changesOf(text), { state: "unsound", fault }, text);
  }
});

Deno.test("podChanges has nothing to say of other objects", () => {
  for (const type of ["v1, kind: Service", "apps/v1beta1, kind: Deployment"]) {
    assert.equal(changesOf(`{apiVersion: ${type}}`), undefined);
  }
});

Deno.test("accountNameOf is the name nodes expect", () => {
  assert.equal(accountNameOf("web"), "web-talos-secrets");
});
