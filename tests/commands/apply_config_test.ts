import assert from "node:assert/strict";
import { withFolder } from "../_folder.ts";
import { type FakeNodes, RpcError } from "../_fake.ts";
import { type Ran, runOn, type RunOptions } from "../_run.ts";
import {
  configurationFor,
  configure,
  secretsNow,
  withoutApply,
} from "./_configured_nodes.ts";
import { boots, kernelLog } from "./_broken_streams.ts";

/** Runs `apply-config` with a file of this content. */
async function apply(
  text: string,
  flags: string,
  nodes: FakeNodes,
  options: RunOptions = {},
): Promise<Ran> {
  let ran: Ran | undefined;
  await withFolder({ "c.yaml": text }, async (folder) => {
    const line = `apply-config -f ${folder}/c.yaml ${flags}`;
    const { err, ...others } = await runOn(line, nodes, options);
    ran = { ...others, err: err.replaceAll(`${folder}/`, "") };
  });
  assert.ok(ran);
  return ran;
}

const worker = await configurationFor("worker");
const changed = worker.replace(
  "machine:\n",
  "machine:\n    sysctls:\n        vm.nr_hugepages: '1'\n",
);

Deno.test("apply-config gives a configuration, waits until it is active and says what the node said", async () => {
  const node = configure(worker);
  const ran = await apply(changed, "", { a: node.handlers });
  assert.deepEqual(
    { out: ran.out, err: ran.err, status: ran.status, sent: node.sent },
    {
      out: "",
      err: `03:04:05 a: Applied configuration without a reboot
a: the configuration is active
`,
      status: 0,
      sent: ["auto"],
    },
  );
});

Deno.test("apply-config --debug shows the kernel log meanwhile, and waits", async () => {
  const { dmesg, happen } = kernelLog("kern: sysctl");
  const { handlers } = configure(worker);
  const ran = await apply(changed, "--debug --wait=false", {
    a: {
      ...handlers,
      async applyConfiguration(request) {
        await happen();
        return handlers.applyConfiguration?.(request);
      },
      dmesg,
      read: boots("1"),
    },
  });
  assert.equal(
    ran.err,
    `a: kern: sysctl
03:04:05 a: Applied configuration without a reboot
a: the configuration is active
`,
  );
});

Deno.test("apply-config sends nothing when the node has the configuration and keeps it", async () => {
  const node = configure(worker);
  const ran = await apply(`# mine\n${worker}`, "", { a: withoutApply(node) });
  assert.deepEqual([ran.err, ran.status], ["a: nothing to do\n", 0]);
});

Deno.test("apply-config has no form to fill in", async () => {
  const ran = await runOn("apply-config --mode interactive");
  assert.equal(
    ran.err.split("\n")[0],
    'error: Invalid value "interactive" for -m, --mode: the interactive installer was removed; generate a configuration with "osctl gen config" and apply it with --file',
  );
  assert.equal(ran.status, 2);
});

Deno.test("apply-config stops at problems before anything is sent by default", async () => {
  const wrong = changed.replace("type: worker", "type: boss");
  const strict = await apply(wrong, "", { a: withoutApply(configure(worker)) });
  assert.equal(strict.status, 2);
  assert.match(strict.err, /c\.yaml:\d+:\d+: machine\.type: .*"boss"/);
  const node = configure(worker);
  const lenient = await apply(
    wrong,
    "--validate=warn --mode no-reboot",
    { a: node.handlers },
  );
  assert.match(lenient.err, /warning: c\.yaml:\d+:\d+: machine\.type/);
  assert.deepEqual([lenient.status, node.sent], [0, ["no-reboot"]]);
});

const mismatches: readonly (readonly [
  name: string,
  text: string,
  nodes: readonly string[],
  reason: string,
  tag?: string,
])[] = [
  [
    "role-change",
    await configurationFor("controlplane"),
    ["a"],
    "a is a worker, and the configuration is for a control plane",
  ],
  [
    "cluster-change",
    await configurationFor("worker", await secretsNow()),
    ["a"],
    "a is in another cluster: cluster.id and machine.ca of the configuration differ",
  ],
  [
    "same-file",
    changed.replace("auto: stable", 'auto: "off"\nhostname: w1'),
    ["a", "b"],
    'a and b would have the same host name "w1" (HostnameConfig hostname)',
  ],
  [
    "unknown-kind",
    `${changed}---
apiVersion: v1alpha1
kind: KernelModuleConfig
name: x
`,
    ["a"],
    "a does not support the configuration: ",
  ],
  [
    "skew",
    changed.replace("installer:v1.12.0", "installer:v1.13.0"),
    ["a"],
    "a runs version 1.12, and the configuration is for a newer one: machine.install.image is ",
  ],
];

for (const [word, text, names, reason] of mismatches) {
  Deno.test(`apply-config sends nothing that needs --allow ${word}`, async () => {
    const held = Object.fromEntries(
      names.map((name) => [name, withoutApply(configure(worker))]),
    );
    const refused = await apply(text, "", held);
    assert.deepEqual(
      [refused.err.includes(reason), refused.status],
      [true, 5],
      refused.err,
    );
    assert.match(refused.err, new RegExp(`--allow ${word}\n`));
    const nodes = names.map(() => configure(worker));
    const allowed = await apply(
      text,
      `--allow ${word} --mode no-reboot`,
      Object.fromEntries(names.map((name, i) => [name, nodes[i]!.handlers])),
    );
    assert.equal(allowed.status, 0, allowed.err);
    assert.deepEqual(
      nodes.map(({ sent }) => sent),
      names.map(() => ["no-reboot"]),
    );
  });
}

Deno.test("apply-config --dry-run shows documents that change, no secrets, and whether a reboot is needed; nothing is sent", async () => {
  const text = changed.replace(/token: .*/, "token: abcdef.0123456789abcdef")
    .replace("rbac: true", "rbac: false");
  const node = withoutApply(configure(worker));
  const ran = await apply(text, "--dry-run", { a: node });
  assert.equal(ran.status, 0, ran.err);
  assert.doesNotMatch(ran.out, /abcdef/);
  assert.match(ran.out, /^a: v1alpha1 changed\n@@/);
  assert.match(ran.out, /\n\+ {8}vm\.nr_hugepages: "1"\n/);
  assert.match(ran.out, /\na: would take effect with(out)? a reboot.*\n$/);
  assert.match(ran.out, /machine\.token/);
});

Deno.test("apply-config --dry-run sends nothing to a node whose configuration may not be read", async () => {
  const { get, ...node } = withoutApply(configure(worker));
  const ran = await apply(changed, "--dry-run", {
    a: {
      ...node,
      get(request: { readonly type: string }) {
        if (!request.type.startsWith("MachineConfigs")) return get?.(request);
        throw new RpcError("PERMISSION_DENIED", "not for you");
      },
    },
    b: withoutApply(configure(worker)),
  });
  assert.equal(ran.status, 3);
  assert.match(ran.out, /^b: v1alpha1 changed\n/);
  assert.match(
    ran.err,
    /error: a: Cannot read the current configuration of the node/,
  );
});

Deno.test("apply-config --mode try confirms over a new connection", async () => {
  const node = configure(worker);
  const ran = await apply(changed, "--mode try", { a: node.handlers });
  assert.deepEqual(node.sent, ["try", "no-reboot"]);
  assert.equal(ran.status, 0, ran.err);
  assert.match(ran.err, /\na: confirmed \(active\)\n$/);
});

Deno.test("apply-config --mode try --no-confirm leaves the trial to itself", async () => {
  for (
    const [flags, env] of [["--no-confirm", {}], ["", {
      OSCTL_COMPAT: "peer",
    }]] as const
  ) {
    const node = configure(worker);
    const ran = await apply(changed, `--mode try ${flags}`, {
      a: node.handlers,
    }, { env });
    assert.deepEqual([node.sent, ran.status], [["try"], 0]);
  }
});

Deno.test("apply-config resolves a lost reply by comparing configurations", async () => {
  const node = configure(worker, {
    taken() {
      throw new RpcError("UNAVAILABLE", "error reading from server: EOF");
    },
  });
  const ran = await apply(changed, "", { a: node.handlers });
  assert.deepEqual([node.sent, ran.status], [["auto"], 0], ran.err);
  assert.match(
    ran.err,
    /a: the reply was lost: .*\na: the configuration is active\n/,
  );
});
