/** The document without `kind`: settings of one node and of its cluster. */

import { defaultImages } from "../../images.ts";
import {
  example32Bytes,
  exampleCertificate,
  exampleKey,
  exampleOther32Bytes,
  examplePair,
  exampleToken,
} from "../example_material.ts";
import { documentKind } from "../table.ts";
import { cluster } from "./cluster.ts";
import { machine } from "./machine.ts";

/** The configuration of a node and its cluster. */
export const v1alpha1 = documentKind()`
v1alpha1 |  | Main configuration of a node and its cluster
  = A control plane | {"version": "v1alpha1", "machine": {"type": "controlplane", "token": "${exampleToken}",
    "ca": ${examplePair}, "certSANs": [], "install": {"disk": "/dev/sda",
    "image": "${defaultImages.installer}", "wipe": false}}, "cluster": {"id": "${example32Bytes}",
    "secret": "${exampleOther32Bytes}", "controlPlane": {"endpoint": "https://cluster.example.com:6443"},
    "clusterName": "production", "token": "${exampleToken}", "ca": ${examplePair},
    "secretboxEncryptionSecret": "${example32Bytes}", "aggregatorCA": ${examplePair},
    "serviceAccount": {"key": "${exampleKey}"}, "etcd": {"ca": ${examplePair}}}}
  = A worker | {"version": "v1alpha1", "machine": {"type": "worker", "token": "${exampleToken}",
    "ca": {"crt": "${exampleCertificate}", "key": ""}, "certSANs": [], "install": {"disk": "/dev/sda",
    "image": "${defaultImages.installer}", "wipe": false}}, "cluster": {"id": "${example32Bytes}",
    "secret": "${exampleOther32Bytes}", "controlPlane": {"endpoint": "https://cluster.example.com:6443"},
    "clusterName": "production", "token": "${exampleToken}", "ca": {"crt": "${exampleCertificate}",
    "key": ""}}}
  version | words(v1alpha1), always, default v1alpha1 | API version of the document | "v1alpha1"
  debug   | boolean, optional, default false | Also prints service logs to the console
  persist | boolean, optional, deprecated | Keeps the configuration on disk
  machine | struct(${machine}), always, optional, required | Settings of this node
    = {"type": "controlplane", "token": "${exampleToken}", "ca": ${examplePair}, "certSANs": [],
      "install": {"disk": "/dev/sda", "image": "${defaultImages.installer}", "wipe": false}}
  cluster | struct(${cluster}), always, optional, required | Settings of the cluster, the same on all its nodes
    = {"id": "${example32Bytes}", "secret": "${exampleOther32Bytes}",
      "controlPlane": {"endpoint": "https://cluster.example.com:6443"}, "clusterName": "production",
      "token": "${exampleToken}", "ca": ${examplePair}, "secretboxEncryptionSecret": "${example32Bytes}",
      "aggregatorCA": ${examplePair}, "serviceAccount": {"key": "${exampleKey}"},
      "etcd": {"ca": ${examplePair}}}
`;
