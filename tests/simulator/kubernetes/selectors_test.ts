import assert from "node:assert/strict";
import type { KubeObject } from "../../../simulator/state/kubernetes_objects.ts";
import {
  fieldSelector,
  labelSelector,
} from "../../../simulator/kubernetes/selectors.ts";

const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "a",
    uid: "1",
    resourceVersion: "1",
    creationTimestamp: "2026-03-01T12:00:00Z",
    labels: { app: "web", tier: "front" },
  },
  spec: { nodeName: "one" },
};

Deno.test("labelSelector takes sets of values, also beside others", () => {
  const answers = [
    "app in (db, web)",
    "app in (db)",
    "app notin (db,queue),tier=front",
    "app notin (web)",
    "zone notin (a)",
  ].map((text) => labelSelector(text)(pod));
  assert.deepEqual(answers, [true, false, true, false, true]);
});

Deno.test("labelSelector takes equal, unequal, present and absent", () => {
  const answers = [
    "",
    "app=web",
    "app==web,tier=front",
    "app=db",
    "app!=db",
    "app!=web",
    "tier",
    "!tier",
    "!zone",
  ].map((text) => labelSelector(text)(pod));
  assert.deepEqual(answers, [
    true,
    true,
    true,
    false,
    true,
    false,
    true,
    false,
    true,
  ]);
});

Deno.test("fieldSelector compares fields, also those that are not there", () => {
  const answers = [
    "spec.nodeName=one",
    "spec.nodeName=two",
    "spec.nodeName!=two",
    "metadata.name=a,spec.nodeName=one",
    "spec.other=",
  ].map((text) => fieldSelector(text)(pod));
  assert.deepEqual(answers, [true, false, true, true, true]);
  assert.throws(() => fieldSelector("spec"), {
    code: 400,
    message: "invalid selector: 'spec'; can't understand 'spec'",
  });
});
