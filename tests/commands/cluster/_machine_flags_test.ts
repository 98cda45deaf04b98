import assert from "node:assert/strict";
import {
  bytesOf,
  cpuShare,
  exposedPorts,
  memorySize,
  mountOf,
} from "../../../commands/cluster/_machine_flags.ts";

Deno.test("sizes are read as people write them", () => {
  assert.equal(cpuShare("2.0", "--cpus-workers"), 2_000_000_000);
  assert.equal(cpuShare("1/2", "--cpus-workers"), 500_000_000);
  const sizes = [
    ["2.0GiB", 2_147_483_648],
    ["2048", 2_147_483_648],
    ["512mb", 512_000_000],
    ["1,000 KB", 1_000_000],
    ["1g", 1_000_000_000],
  ] as const;
  for (const [text, bytes] of sizes) {
    assert.equal(memorySize(text, "--memory-workers"), bytes, text);
  }
  for (const wrong of ["", "-1", "0", "2x", "two"]) {
    assert.throws(() => cpuShare(wrong, "--cpus-workers"), {
      message: `Invalid value "${wrong}" for --cpus-workers`,
      status: 2,
    });
    assert.throws(() => memorySize(wrong, "--memory-workers"), {
      hint: "Give a size such as 2.0GiB or 2048MB",
    });
  }
});

Deno.test("bytesOf reads sizes with decimal and binary units, and MiB without one", () => {
  const sizes = ["10GB", "10GiB", "1.5g", "2048", "512 mb", "0", "GB", "-1GB"]
    .map(bytesOf);
  assert.deepEqual(sizes, [
    10_000_000_000,
    10_737_418_240,
    1_500_000_000,
    2_147_483_648,
    512_000_000,
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
  assert.deepEqual(mountOf("type=bind,src=/a,dst=/b,readonly"), {
    Type: "bind",
    Source: "/a",
    Target: "/b",
    ReadOnly: true,
  });
  assert.deepEqual(mountOf("type=tmpfs,target=/b,tmpfs-size=1MiB"), {
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
    ["color=red,target=/b", '"color" is not known'],
  ] as const;
  for (const [value, problem] of wrong) {
    assert.throws(() => mountOf(value), {
      message: `Invalid value "${value}" for --mount: ${problem}`,
      status: 2,
    });
  }
});
