import { authorityRules } from "../../../config/rules/authorities.ts";
import { testRules } from "./_rules.ts";

testRules("authorityRules", authorityRules, [
  [
    "takes a control plane with a key",
    "machine: {type: controlplane, ca: {crt: QQ==, key: QQ==}}\ncluster: {ca: {key: QQ==}}",
    [],
  ],
  [
    "takes a worker without keys",
    "machine: {type: worker, ca: {crt: QQ==, key: ''}}\ncluster: {ca: {crt: QQ==, key: ''}}",
    [],
  ],
  [
    "takes a worker that accepts others",
    "machine: {type: worker, acceptedCAs: [{crt: QQ==}]}",
    [],
  ],
  ["wants anyone to trust", "machine: {type: worker, acceptedCAs: []}", [
    "error machine.ca: Neither machine.ca nor machine.acceptedCAs is given",
  ]],
  [
    "wants an authority on a control plane",
    "machine: {type: controlplane, acceptedCAs: [{crt: QQ==}]}",
    ["error machine.ca: A control plane has no authority of its own"],
  ],
  [
    "wants its key on a control plane",
    "machine: {type: init, ca: {crt: QQ==}}",
    ["error machine.ca.key: The authority of a control plane has no key"],
  ],
  [
    "refuses keys on a worker",
    "machine: {type: worker, ca: {crt: QQ==, key: QQ==}}\ncluster: {ca: {key: QQ==}}",
    [
      "error machine.ca.key: The key of the node API's authority is on a worker",
      "error cluster.ca.key: The key of the Kubernetes authority is on a machine that is no control plane",
    ],
  ],
  [
    "wants a certificate on a worker",
    "machine: {type: worker, ca: {}}",
    [
      "error machine.ca.crt: A worker trusts nobody: machine.ca.crt and machine.acceptedCAs are empty",
    ],
  ],
  [
    "takes an empty authority besides accepted ones",
    "machine: {type: worker, ca: {}, acceptedCAs: [{crt: QQ==}]}",
    [],
  ],
]);
