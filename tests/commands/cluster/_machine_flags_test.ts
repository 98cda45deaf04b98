import assert from "node:assert/strict";
import {
  exposedPorts,
  machineSizes,
  parseBytes,
  parseMount,
} from "../../../commands/cluster/_machine_flags.ts";

Deno.test("sizes of machines are flags with values in billionths and bytes", () => {
  const { cpusWorkers, memoryWorkers } = machineSizes;
  assert.deepEqual([cpusWorkers.initial, memoryWorkers.initial], [
    2_000_000_000,
    2_147_483_648,
  ]);
  const shares = ["2.0", "0.29", "1/2"].map((text) =>
    cpusWorkers.parse(text, undefined)
  );
  assert.deepEqual(shares, [2_000_000_000, 290_000_000, 500_000_000]);
  assert.equal(memoryWorkers.parse("3GB", undefined), 3_000_000_000);
  for (const wrong of ["", "-1", "0", "2x", "1/3", "1/0"]) {
    assert.throws(() => cpusWorkers.parse(wrong, undefined), {
      message: "must be a number of CPUs such as 2.0 or 0.5",
    });
  }
  assert.throws(() => memoryWorkers.parse("two", undefined), {
    message: "must be a size such as 2GiB or 2048MB; a number alone is in MiB",
  });
});

Deno.test("parseBytes reads sizes with decimal and binary units, and MiB without one", () => {
  const sizes = ["10GB", "10GiB", "1.5g", "2048", "1,000 mb", "0", "GB", "-1GB"]
    .map(parseBytes);
  assert.deepEqual(sizes, [
    10_000_000_000,
    10_737_418_240,
    1_500_000_000,
    2_147_483_648,
    1_000_000_000,
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("ports need a protocol, and may have an address", () => {
  assert.deepEqual(exposedPorts("8080:80/tcp,10.0.0.1:53:53/udp", "0.0.0.0"), [
    { hostIp: "0.0.0.0", hostPort: 8080, containerPort: 80, protocol: "tcp" },
    { hostIp: "10.0.0.1", hostPort: 53, containerPort: 53, protocol: "udp" },
  ]);
  for (
    const wrong of ["8080:80", "80/tcp", "0:80/tcp", "x:1:1/tcp", "1:70000/udp"]
  ) {
    assert.throws(() => exposedPorts(wrong, "0.0.0.0"), {
      message: `Invalid value "${wrong}" for --exposed-ports`,
      hint: "Give [ip:]host:container/tcp or /udp, such as 8080:80/tcp",
      status: 2,
    });
  }
});

Deno.test("mounts are read in the syntax of engines", () => {
  assert.deepEqual(parseMount("type=bind,src=/a,dst=/b,readonly"), {
    Type: "bind",
    Source: "/a",
    Target: "/b",
    ReadOnly: true,
  });
  assert.deepEqual(parseMount("type=tmpfs,target=/b,tmpfs-size=1MiB"), {
    Type: "tmpfs",
    Source: "",
    Target: "/b",
    ReadOnly: false,
    TmpfsOptions: { SizeBytes: 1_048_576, Mode: 0o1777 },
  });
  const wrong = [
    ["type=nfs,target=/b", 'type "nfs" is not known'],
    ["type=bind,source=a,target=/b", "a bind mount needs an absolute source"],
    ["type=volume", "it needs an absolute target"],
    ["type=tmpfs,target=/b,tmpfs-size=x", '"x" is not a size'],
    ["color=red,target=/b", '"color" is not known'],
  ] as const;
  for (const [value, problem] of wrong) {
    assert.throws(() => parseMount(value), {
      message: `Invalid value "${value}" for --mount: ${problem}`,
      status: 2,
    });
  }
});
