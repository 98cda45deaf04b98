import assert from "node:assert/strict";
import { CancelledError } from "../../errors.ts";
import { powerCycle } from "../../simulator/boot/power.ts";
import { setFault } from "../../simulator/faults/set_fault.ts";
import { withWire } from "../_wire.ts";
import { minor } from "../_version.ts";

const links = { namespace: "network", type: "LinkStatuses.net.talos.dev" };

Deno.test("get lists the types of a node and finds one by each of its names", async () => {
  await withWire({}, async ({ osctl }) => {
    const { out, err } = await osctl("get rd -o jsonl");
    assert.equal(err, "");
    const types = out.trim().split("\n").map((line) => JSON.parse(line).spec);
    assert.ok(types.length > 50, `${types.length} types`);
    const member = types.find(({ displayType }) => displayType === "Member");
    assert.ok(member.allAliases.includes("members"));
    for (const name of [...member.allAliases, member.type, "MEMBER"]) {
      const { out } = await osctl([
        "get",
        name,
        "-o",
        "jsonpath=.spec.hostname",
      ]);
      assert.equal(out, "simulated-controlplane-1\n", name);
    }
  });
});

Deno.test("get shows resources of several nodes with the columns of their type", async () => {
  await withWire({ workers: 1 }, async ({ osctl, names }) => {
    const { out } = await osctl("get links");
    const [header = "", ...rows] = out.trim().split("\n");
    assert.match(
      header,
      minor < 12
        ? /^NODE +NAMESPACE +TYPE +ID +VERSION +LINK TYPE +KIND /
        : /^NODE +NAMESPACE +TYPE +ID +VERSION +ALIAS +LINK TYPE +KIND /,
    );
    const nodes = rows.map((row) => row.split(/ +/)[0]);
    assert.deepEqual(nodes, names.flatMap((name) => [name, name]));
  });
});

Deno.test("get of one id is a failure of the nodes that lack it", async () => {
  await withWire({ workers: 1 }, async ({ osctl, cluster, names }) => {
    const [first] = cluster.nodes;
    first?.boot.resources.put({ ...links, id: "bond0" }, {
      spec: { type: "ether" },
    });
    const { out, err, status } = await osctl(
      "get links bond0 -o jsonpath=.node",
    );
    assert.equal(out, `${names[0]}\n`);
    assert.match(
      err,
      new RegExp(`^error: \\S+ \\(${names[1]}\\): .*bond0.* doesn't exist\n$`),
    );
    assert.equal(status, 3);
  });
});

Deno.test("get waits no longer for a node than it was asked to", async () => {
  await withWire({ workers: 1 }, async ({ osctl, cluster, names }) => {
    const [, worker] = cluster.nodes;
    await setFault(worker!, "slow", { ms: 60_000, method: "List" });
    const { out, err, status } = await osctl(
      "get links lo --node-timeout 5s -o jsonpath=.node",
    );
    assert.equal(out, `${names[0]}\n${names[1]}\n`, err);
    const list = (ms: number) =>
      osctl(`get links --node-timeout ${ms}ms -o jsonpath=.node`);
    let listed = await list(300);
    // The other node of a machine that is busy may take longer, too.
    if (listed.out === "") listed = await list(20_000);
    assert.equal(listed.out, `${names[0]}\n${names[0]}\n`);
    assert.match(listed.err, new RegExp(`^error: \\S+ \\(${names[1]}\\): `));
    assert.deepEqual([status, listed.status], [0, 3]);
  });
});

Deno.test("get --insecure reads from several nodes that have no configuration", async () => {
  await withWire({ workers: 1 }, async ({ osctl, cluster }) => {
    for (const node of cluster.nodes) await setFault(node, "maintenance");
    const nodes = [...cluster.listening.values()];
    const { out, err } = await osctl([
      ..."get links lo --insecure -o jsonpath=.node -n".split(" "),
      nodes.join(","),
    ]);
    assert.deepEqual(out.trim().split("\n").sort(), nodes.toSorted(), err);
  });
});

Deno.test("get shows the machine configuration as text", async () => {
  await withWire({}, async ({ osctl }) => {
    const { out } = await osctl("get mc v1alpha1 -o yaml");
    assert.match(out, /^spec: \|\n {4}version: v1alpha1\n {4}debug: false\n/m);
  });
});

Deno.test("get --watch continues over a reboot, with a gap and no row twice", async () => {
  await withWire({ workers: 1 }, async ({ osctl, cluster, names }) => {
    const [, worker] = cluster.nodes;
    const stop = new AbortController();
    let step = 0;
    const { out, err, status } = await osctl(
      `get links -w -n ${names[1]} -o jsonl`,
      {
        signal: stop.signal,
        onWrite(out) {
          const rows = out.trim().split("\n").length;
          if (step === 0 && rows === 2) {
            step = 1;
            powerCycle(worker!).then(() =>
              worker!.boot.resources.put({ ...links, id: "eth0" }, {
                spec: { type: "bond" },
              })
            );
          }
          if (out.includes('"bond"')) stop.abort(new CancelledError());
        },
      },
    );
    const rows = out.trim().split("\n").map((line) => JSON.parse(line));
    const shown = rows.map(({ event, gap, metadata, spec }) =>
      gap ?? `${event} ${metadata.id} ${spec.type}`
    );
    assert.deepEqual(shown, [
      "created eth0 ether",
      "created lo loopback",
      "node rebooted",
      "updated eth0 bond",
    ]);
    assert.match(
      err,
      /^--- 10\.5\.0\.3: connection lost, reconnecting ---\n/,
    );
    assert.match(
      err,
      /^--- 10\.5\.0\.3: node rebooted, gap from .* to .* ---$/m,
    );
    assert.equal(status, 130);
  });
});

Deno.test("get --watch of one id shows every change as it comes", async () => {
  await withWire({}, async ({ osctl, cluster }) => {
    const { boot: { resources } } = cluster.nodes[0]!;
    const stop = new AbortController();
    const change = ["bond", "bridge"].values();
    const { out } = await osctl("get links eth0 -w -o jsonpath=.spec.type", {
      signal: stop.signal,
      onWrite() {
        const { value: type, done } = change.next();
        if (done) stop.abort(new CancelledError());
        else resources.put({ ...links, id: "eth0" }, { spec: { type } });
      },
    });
    assert.equal(out, "ether\nbond\nbridge\n");
  });
});

for (const format of ["jsonl", "table"]) {
  Deno.test(`get --watch -o ${format} ends when its output is not read any more`, async () => {
    await withWire({}, async ({ osctl, cluster }) => {
      const { boot: { resources } } = cluster.nodes[0]!;
      let more: ReturnType<typeof setInterval> | undefined;
      let mtu = 1_000;
      const { status } = await osctl(`get links -w -o ${format}`, {
        onWrite() {
          // Changes continue coming, and none of them is ever written.
          more ??= setInterval(
            () =>
              resources.put({ ...links, id: "eth0" }, { spec: { mtu: mtu++ } }),
            50,
          );
          throw new Deno.errors.BrokenPipe("closed");
        },
      });
      clearInterval(more);
      assert.equal(status, 0);
    });
  });
}

Deno.test("get -o wide adds columns to the types people look at, and knows volumes", async () => {
  await withWire({}, async ({ osctl }) => {
    const columns = async (type: string) => {
      const headers = async (output: string) =>
        (await osctl(`get ${type} ${output}`)).out.split("\n")[0] ?? "";
      const narrow = (await headers("")).trimEnd().split(/ {2,}/);
      return (await headers("-o wide")).trimEnd().split(/ {2,}/)
        .filter((one) => !narrow.includes(one)).join(", ");
    };
    assert.equal(await columns("members"), "API PORT, NODE ID");
    assert.equal(await columns("links"), "MTU, DRIVER, PRODUCT");
    assert.equal(await columns("addresses"), "SCOPE, FLAGS");
    assert.equal(await columns("disks"), "DEVICE, BUS PATH");
    assert.equal(
      await columns("volumes"),
      "FILESYSTEM, PARENT, ENCRYPTION",
    );
    const { out } = await osctl("get links eth0 -o wide --no-headers");
    assert.match(out, / 1500 +virtio_net +Virtio network device$/m);
  });
});

Deno.test("words that every object inherits are names of nothing", async () => {
  await withWire({}, async ({ osctl, names: [node = ""] }) => {
    for (
      const [line, message] of [
        ["constructor", 'Unknown command "constructor"'],
        ["help toString", 'Unknown command "toString"'],
        ["get constructor", 'Unknown resource type "constructor"'],
        [
          "cgroups --preset constructor",
          'Invalid value "constructor" for --preset: must be one of ',
        ],
        [
          "memory --sort-by constructor",
          'Unknown column "constructor" for --sort-by',
        ],
      ] as const
    ) {
      const to = line.startsWith("help") ? "" : ` -n ${node}`;
      const { err, status } = await osctl(`${line}${to}`);
      assert.ok(err.startsWith(`error: ${message}`), err);
      assert.equal(status, 2, line);
    }
  });
});
