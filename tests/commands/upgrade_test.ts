import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run, runOn } from "../_run.ts";
import { upgradable } from "../workflows/operations/_upgrades.ts";
import { withHome } from "./_home.ts";
import { members } from "./_machine.ts";
import { only } from "./upgrade/_node_queries.ts";

const workers = members({ a: "worker", b: "worker", c: "worker" });

Deno.test("upgrade gives each node what it understands, and ends when the version runs", async () => {
  await withHome(async (env) => {
    const a = upgradable({ version: "v1.12.1" });
    const b = upgradable({ version: "v1.13.0" });
    const { out, err, status } = await runOn(
      "upgrade --to 1.13.1 --drain=false",
      {
        a: only(a, "upgrade"),
        b: only(b, "logs", "processes", "pull", "upgrade", "reboot"),
        "": workers,
      },
      { env },
    );
    assert.equal(
      out,
      `NODE   OUTCOME   REASON
a      done      ready, v1.13.1
b      done      ready, v1.13.1
`,
    );
    assert.deepEqual(a.sent, ["upgrade"]);
    assert.deepEqual(b.sent, ["pull", "install", "reboot"]);
    assert.match(err, /^03:04:05 a: installing \(actor x\)$/m);
    assert.match(err, /^03:04:05 b: installer: writing$/m);
    assert.match(
      err,
      /^03:04:05 b: the node is rebooting into v1\.13\.1 \(actor y\)$/m,
    );
    assert.equal(status, 0);
  });
});

Deno.test("upgrade sends nothing to a new node that Kubernetes does not know, unless told to leave its pods", async () => {
  await withHome(async (env) => {
    const a = upgradable({ version: "v1.13.0" });
    const { err, status } = await runOn("upgrade --to v1.13.1", {
      a: only(a, "logs", "processes"),
      "": workers,
    }, { env });
    assert.equal(
      err,
      "error: a: refused: Cannot drain the node: Node a is not a Kubernetes node: it has no name there\n" +
        "hint: Nothing was sent; to leave its pods running: --drain=false\n",
    );
    assert.deepEqual(a.sent, []);
    assert.equal(status, 5);
  });
});

Deno.test("upgrade -o jsonl carries node, outcome and reason", async () => {
  await withHome(async (env) => {
    const a = upgradable({ version: "v1.12.1" });
    const { out } = await runOn(
      "upgrade --image ghcr.io/siderolabs/installer:v1.12.2 -m POWERCYCLE -o jsonl",
      { a: only(a, "upgrade"), "": workers },
      { env },
    );
    assert.deepEqual(JSON.parse(out), {
      node: "a",
      outcome: "done",
      reason: "ready, v1.12.2",
    });
    assert.deepEqual(a.requests.upgrade, {
      image: "ghcr.io/siderolabs/installer:v1.12.2",
      preserve: false,
      stage: false,
      force: false,
      rebootMode: 1,
    });
  });
});

Deno.test("upgrade without an image takes the vendor's own of this release", async () => {
  await withHome(async (env) => {
    const a = upgradable({ version: "v1.12.1" });
    await runOn("upgrade --wait=false", {
      a: only(a, "upgrade"),
      "": workers,
    }, { env });
    const { image } = a.requests.upgrade as { image: string };
    assert.equal(image, "ghcr.io/siderolabs/installer:v1.12.11");
  });
});

Deno.test("upgrade names the node that came back with the old version, with its last words", async () => {
  await withHome(async (env) => {
    const a = upgradable({ version: "v1.12.1" });
    const b = upgradable({ version: "v1.12.1" }, { rollsBack: true });
    const c = upgradable({ version: "v1.12.1" });
    const { out, err, status } = await runOn(
      "upgrade --to v1.12.2 --max-unavailable 3",
      {
        a: only(a, "upgrade"),
        b: only(b, "upgrade", "dmesg", "logs"),
        c: only(c, "upgrade"),
        "": workers,
      },
      { env },
    );
    assert.deepEqual(
      out.trimEnd().split("\n").slice(1).map((line) => line.slice(0, 11)),
      ["a      done", "c      done"],
    );
    assert.match(
      err,
      /^error: b: rolled-back: the node came back with v1\.12\.1, not v1\.12\.2$/m,
    );
    assert.match(err, /^b: kernel: kernel line$/m);
    assert.match(err, /^b: machined: starting$/m);
    assert.equal(status, 3);
  });
});

Deno.test("upgrade refuses an image without the extensions, and sends nothing", async () => {
  await withHome(async (env) => {
    const a = upgradable({ version: "v1.12.1", extensions: { zfs: "2.4" } });
    const { err, status } = await runOn("upgrade", {
      a: only(a),
      "": {},
    }, { env });
    assert.match(
      err,
      /error: a: refused: the image does not contain zfs \(S9; --allow image-identity\)/,
    );
    assert.equal(status, 5);
    assert.deepEqual(a.sent, []);
    const allowed = await runOn("upgrade --allow image-identity", {
      a: only(a, "upgrade"),
      "": workers,
    }, { env });
    assert.equal(allowed.status, 0);
  });
});

Deno.test("upgrade --no-reboot installs alone, where a node can", async () => {
  await withHome(async (env) => {
    const a = upgradable({ version: "v1.12.1" });
    const b = upgradable({ version: "v1.13.0" });
    const { out, err, status } = await runOn(
      "upgrade --to v1.13.1 --no-reboot",
      { a: only(a), b: only(b, "logs", "processes", "pull", "upgrade") },
      { env },
    );
    assert.match(out, /^b +done +v1\.13\.1 is installed; the next boot/m);
    assert.match(
      err,
      /error: a: refused: A node that runs v1\.12\.1 reboots as part of the upgrade; installing without a reboot needs v1\.13/,
    );
    assert.equal(status, 3);
  });
});

Deno.test("upgrade --force asks before, and never for the default nodes", async () => {
  await withHome(async (env) => {
    const unnamed = await run("upgrade --force --yes", {}, { env });
    assert.match(
      unnamed.err,
      /does not run on the default nodes of the context/,
    );
    assert.equal(unnamed.status, 5);
    const a = upgradable({ version: "v1.12.1" });
    const unasked = await runOn("upgrade -n a --force", {
      a: only(a),
      "": workers,
    }, { env });
    assert.match(unasked.err, /"upgrade" needs a confirmation/);
    assert.equal(unasked.status, 5);
    const forced = await runOn("upgrade -n a --force --yes", {
      a: only(a, "upgrade"),
      "": workers,
    }, { env });
    assert.equal(forced.status, 0, forced.err);
    assert.equal((a.requests.upgrade as { force: boolean }).force, true);
  });
});

Deno.test("upgrade --preserve is taken from old scripts, with a word", async () => {
  await withHome(async (env) => {
    const a = upgradable({ version: "v1.12.1" });
    const { err } = await runOn("upgrade --preserve --wait=false", {
      a: only(a, "upgrade"),
      "": workers,
    }, { env });
    assert.match(
      err,
      /Flag -p, --preserve is deprecated: data is always kept/,
    );
    assert.equal((a.requests.upgrade as { preserve: boolean }).preserve, true);
  });
});

Deno.test("upgrade tells what a node says no to", async () => {
  await withHome(async (env) => {
    const a = upgradable({ version: "v1.12.1" });
    const { err, status } = await runOn("upgrade", {
      a: {
        ...only(a),
        upgrade: () => Promise.reject(new RpcError("UNKNOWN", "no such image")),
      },
      "": workers,
    }, { env });
    assert.match(err, /^error: a: failed: no such image$/m);
    assert.equal(status, 1);
  });
});

Deno.test("upgrade refuses flags that contradict each other", async () => {
  const cases = [
    ["--image x/installer:v1.12.1 --to v1.12.1", /--image and --to/],
    ["--to latest", /--to "latest" is not a version/],
    ["--image=", /for -i, --image: not an image name/],
    ["--insecure", /--insecure needs --wait=false/],
    ["--no-reboot --stage", /--no-reboot cannot be used with --stage/],
    ["--no-reboot --force", /--no-reboot cannot be used with --force/],
    ["--reboot-mode gently", /--reboot-mode/],
    ["--allow everything", /--allow/],
  ] as const;
  for (const [line, message] of cases) {
    const { err, status } = await runOn(`upgrade -n a ${line}`);
    assert.match(err, message);
    assert.equal(status, 2, line);
  }
});
