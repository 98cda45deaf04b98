import assert from "node:assert/strict";
import type { FaultName } from "../../../simulator/state/faults.ts";
import { isTried, wanted } from "../../_matrix.ts";
import { withFolder } from "../../_folder.ts";
import { minor } from "../../_version.ts";
import { type Wire, withWire } from "../../_wire.ts";

/** Words of libraries and of the runtime, and stacks. */
const foreign =
  /\bdesc =|rpc error|transport:|os error|\bE(?:CONN|ACCES|NOTDIR|ISDIR)|Error: |premature|wire type|docs\.rs|\.ts:\d+|bug in osctl/;

/** Something that commands meet, and how it is brought about. */
interface Met {
  readonly everywhere?: FaultName;
  /** Fault of the node that is asked, behind an endpoint that is well. */
  readonly behind?: FaultName;
  /** Flags instead of those of the context. */
  readonly flags?: string;
  readonly said: RegExp;
  readonly hint?: RegExp;
  /** True when it may pass, so that who follows a log waits for its end. */
  readonly passes?: boolean;
  readonly inStep?: RegExp;
}

const connect = /\nhint: .*osctl doctor connect/;

const all: Readonly<Record<string, Met>> = {
  "no server": {
    flags: "-e 127.0.0.1:1",
    passes: true,
    said: /Cannot connect to "127\.0\.0\.1:1": the connection was refused/,
    hint: connect,
  },
  "a name that is unknown": {
    flags: "-e nodes.invalid",
    said:
      /Cannot connect to "nodes\.invalid:50000": the (?:name cannot be resolved|DNS server does not answer)/,
    hint: connect,
  },
  "another CA": {
    everywhere: "server-ca-changed",
    said: /Cannot trust "127\.0\.0\.1:\d+": its certificate is signed by /,
    hint: /\nhint: The node belongs to another cluster.* --context/,
  },
  "an expired certificate": {
    everywhere: "server-cert-expired",
    said:
      /Cannot trust "127\.0\.0\.1:\d+": its certificate expired on \d{4}-\S+Z/,
    hint: /\nhint: Check the clock/,
  },
  "a role that is too low": {
    flags: "--osconfig READER",
    said: /not authorized: it needs the role os:(?:admin|operator|etcd:backup)/,
    hint: /\nhint: The certificate of context ".*" has os:reader/,
  },
  "a node that is down behind its endpoint": {
    behind: "unavailable",
    passes: true,
    said: /10\.5\.0\.3.*: cannot connect to 10\.5\.0\.3:50000: /,
    hint: connect,
    inStep:
      /simulated-worker-1.*: cannot connect to 10\.5\.0\.3:50000: connection refused(?: \(.*osctl doctor connect\))?$/m,
  },
  "a node in maintenance behind its endpoint": {
    behind: "maintenance",
    said:
      /10\.5\.0\.3.*: cannot connect: the certificate of the node is from another CA/,
    hint: /\nhint: The node waits for a configuration/,
    inStep:
      /simulated-worker-1.*: cannot connect: the certificate of the node is from another CA(?: \(The node waits for a configuration .*\))?$/m,
  },
  "a node that refuses its endpoint": {
    behind: "client-cert-refused",
    said:
      /10\.5\.0\.3.*: cannot connect: the node does not accept the certificate of the endpoint: it is from another CA/,
    hint: /\nhint: A CA may have been rotated/,
    inStep:
      /simulated-worker-1.*: cannot connect: the node does not accept the certificate of the endpoint: it is from another CA(?: \(A CA .*\))?$/m,
  },
  "an expired certificate behind its endpoint": {
    behind: "server-cert-expired",
    said:
      /10\.5\.0\.3.*: cannot connect: the certificate of the node has expired/,
    hint: /\nhint: Check the clocks of node and endpoint/,
    inStep:
      /simulated-worker-1.*: cannot connect: the certificate of the node has expired, or its clock is wrong(?: \(Check .*\))?$/m,
  },
  "answers that cannot be read": {
    everywhere: "wrong-protobuf",
    said: /the response from (?:the node|"127\.0\.0\.1:\d+") cannot be read/,
    hint: connect,
  },
};

/** A node that lacks a call says so, whoever asks. */
const lacking: Met = {
  flags: "--osconfig READER",
  said: /the node does not support EtcdDowngrade\w+: it needs v1\.11 or later/,
};

/** Commands that any role may run, or that find nothing to do here. */
const reading = [
  "apply-config --validate=warn -f FOLDER/c.yaml",
  "bootstrap",
  "containers",
  "disks",
  "dmesg",
  "etcd alarm disarm",
  "etcd alarm list",
  "etcd members",
  "etcd status",
  "get services",
  "image list",
  "inspect dependencies",
  "list /",
  "logs kubelet",
  "logs kubelet --follow",
  "memory",
  "meta delete 0x0a",
  "mounts",
  "netstat",
  "processes",
  "restart kubelet",
  "runbook plan FOLDER/r.runbook.yaml",
  "service",
  "stats",
  "time",
  "upgrade plan --to v1.12.13",
  "usage /etc",
  "version",
];

/** Commands that need another role than os:reader. */
const changing = [
  "copy /etc FOLDER/etc",
  "edit mc",
  "etcd defrag",
  "etcd downgrade cancel",
  "etcd downgrade enable 3.5",
  "etcd downgrade validate 3.5",
  "etcd snapshot FOLDER/db",
  "image pull pause:3",
  "kubeconfig FOLDER/kubeconfig",
  "machineconfig diff FOLDER/c.yaml --live",
  "meta write 0x0a x",
  "pcap --duration 1s -o FOLDER/pcap",
  `patch mc -p [{"op":"remove","path":"/machine/sysctls"}]`,
  "read /etc/os-release",
  "reboot",
  "reset --yes",
  "rollback",
  "service kubelet restart",
  "shutdown --yes",
];

/** Commands that choose their nodes themselves. */
const running = [
  "rotate-ca",
  "runbook run FOLDER/r.runbook.yaml --yes",
  "runbook run-or-resume --runbook FOLDER/r.runbook.yaml --run-key k --yes",
  "upgrade-k8s --to 1.34.2 --dry-run",
];

const restarts = `apiVersion: osctl/v1
kind: Runbook
name: restarts
title: Restart workers
groups:
  workers: { role: worker, order: [name] }
steps:
  - id: workers
    forEach: { nodes: workers }
    steps:
      - { id: restart, run: node.reboot, timeout: 1m }
`;

async function meet(
  { everywhere, behind, flags = "", said, hint, inStep }: Met,
  line: string,
  { wire, folder }: { readonly wire: Wire; readonly folder: string },
): Promise<void> {
  const { cluster, names, osctl } = wire;
  const [first = "", last = ""] = names;
  const faults = [
    ...everywhere === undefined ? [] : names.map((name) => ({
      name,
      fault: everywhere,
    })),
    ...behind === undefined ? [] : [{ name: last, fault: behind }],
  ];
  const node = line.startsWith("etcd") && behind === undefined ? first : last;
  for (const { name, fault } of faults) await cluster.setFault(name, fault);
  const isRun = line.startsWith("runbook") || running.includes(line);
  const chosen = isRun ? "" : ` -n ${node} --node-timeout 20s`;
  const words = `${line}${chosen} ${flags}`.trim()
    .replace("FOLDER", folder).replace("READER", `${folder}/reader`)
    .split(" ");
  const { out, err, status } = await osctl(words, {
    // A run that failed would be in the way of the next.
    env: { OS_HOME: `${folder}/${crypto.randomUUID()}`, EDITOR: "true" },
  });
  for (const { name, fault } of faults) {
    await cluster.setFault(name, fault, false);
  }
  assert.doesNotMatch(out + err, foreign);
  if (line.startsWith("runbook") && inStep !== undefined) {
    assert.match(out + err, inStep);
    assert.equal(status, line.startsWith("runbook plan") ? 0 : 1, err);
    return;
  }
  assert.match(err, /^error: /m);
  assert.match(err, said);
  if (hint !== undefined) assert.match(err, hint);
  assert.equal(status, 1, err);
}

Deno.test("every command says of every fault which node it was, what was tried and what to do next", (t) =>
  withFolder(
    { "c.yaml": "machine:\n  type: worker\n", "r.runbook.yaml": restarts },
    (folder) =>
      withWire({ workers: 1 }, async (wire) => {
        const path = `${folder}/reader`;
        await wire.osctl(`config new ${path} --roles os:reader -n 10.5.0.2`);
        const kinds = Object.entries(all);
        for (const [k, [name, met]] of kinds.entries()) {
          const lines = [
            ...met.flags?.includes("READER") ? [] : reading,
            ...changing,
            ...running,
          ].filter((line) => !met.passes || !line.endsWith("--follow"));
          for (const [i, line] of lines.entries()) {
            // The suite tries every command with one fault, and every fault with some.
            const isSample = i % kinds.length === k;
            if (wanted === "all" ? !isTried(i) : !isSample) continue;
            const place = { wire, folder };
            const isLacking = minor < 11 && line.startsWith("etcd downgrade") &&
              met.flags?.includes("READER");
            const what = isLacking ? lacking : met;
            await t.step(`${line}: ${name}`, () => meet(what, line, place));
          }
        }
      }),
  ));

Deno.test("paths that cannot be read or written are named, with what is there", () =>
  withFolder(
    { file: "", "folder/": "" },
    (folder) =>
      withWire({}, async ({ osctl }) => {
        for (
          const [line, said, expected] of [
            ["etcd snapshot FILE/db", "write", 2],
            ["kubeconfig FILE/kubeconfig", "write", 2],
            ["pcap --duration 1ms -o FOLDER", "write", 2],
            ["support -O FILE/case.zip", "write", 2],
            ["gen config a https://a:6443 -o FILE/a", "write", 2],
            [
              "cluster create embedded --name z --osconfig-destination FOLDER/c --state FILE/z",
              "write",
              2,
            ],
            ["apply-config -f FOLDER", "read", 2],
            ["apply-config -f FILE/c.yaml", "read", 2],
            ["bootstrap --recover-from FOLDER", "read", 2],
            ["machineconfig patch FOLDER -p {}", "read", 2],
            ["patch mc -p @FOLDER", "read", 2],
            ["validate -m metal FOLDER", "read", 2],
            ["etcd snapshot verify FOLDER", "read", 2],
            ["config merge FILE/config", "read", 2],
            ["memory --osconfig FOLDER", "read", 2],
            ["runbook run FILE/r.yaml", "read", 2],
            ["inject serviceaccount -f FOLDER", "read", 2],
          ] as const
        ) {
          const words = `${line} -n 10.5.0.2`.replaceAll(
            "FOLDER",
            `${folder}/folder`,
          ).replaceAll("FILE", `${folder}/file`);
          const { err, status } = await osctl(words, {
            env: { OS_HOME: folder, HOME: folder },
          });
          assert.doesNotMatch(err, foreign, line);
          assert.match(
            err,
            new RegExp(
              `error: Cannot ${said} "${folder}/\\S+": (it is a directory|it is not a regular file|a part of the path is a file, not a directory)`,
            ),
            line,
          );
          assert.equal(status, expected, line);
        }
      }),
  ));
