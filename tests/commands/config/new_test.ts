import assert from "node:assert/strict";
import { clientConfigField } from "../../../talos.ts";
import { RpcError } from "../../../errors.ts";
import { namesIn, readMode, testWith, toOutput, twoContexts } from "./_file.ts";

const sent = `context: admin@lab
contexts:
    admin@lab:
        endpoints: []
        ca: Y2E=
        crt: Y3J0
        key: a2V5
`;

const written = sent.replace(
  "endpoints: []",
  "endpoints:\n            - 10.1.0.1\n            - 10.1.0.2:50001",
);

function answering(text = sent, seen: unknown[] = []) {
  return {
    generateClientConfiguration(request: unknown) {
      seen.push(request);
      return {
        messages: [{ [clientConfigField]: new TextEncoder().encode(text) }],
      };
    },
  };
}

testWith(
  twoContexts,
  "config new writes what the node sends, with the endpoints in use",
  async ({ osctl, dir }) => {
    const path = `${dir}/deep/new`;
    const seen: unknown[] = [];
    const ran = await osctl(`config new ${path}`, {
      nodes: { "10.1.0.5": answering(sent, seen) },
    });
    assert.deepEqual(toOutput(ran), {
      out: "",
      err: `wrote context "admin@lab" to "${path}"\n`,
      status: 0,
    });
    assert.equal(await Deno.readTextFile(path), written);
    assert.equal(await readMode(path), 0o600);
    assert.equal(await readMode(`${dir}/deep`), 0o700);
    assert.deepEqual(seen, [{
      roles: ["os:admin"],
      crtTtl: { seconds: 31_536_000n, nanos: 0 },
    }]);
  },
);

testWith(
  twoContexts,
  "config new asks for the roles and the lifetime given, and uses --endpoints",
  async ({ osctl, dir }) => {
    const seen: unknown[] = [];
    await osctl(
      `config new ${dir}/new --roles os:reader,os:etcd:backup --crt-ttl 1h30m -e 10.9.9.9`,
      { nodes: { a: answering(sent, seen) } },
    );
    assert.deepEqual(seen, [{
      roles: ["os:etcd:backup", "os:reader"],
      crtTtl: { seconds: 5400n, nanos: 0 },
    }]);
    assert.match(
      await Deno.readTextFile(`${dir}/new`),
      /endpoints:\n {12}- 10\.9\.9\.9\n {8}ca:/,
    );
  },
);

testWith(
  twoContexts,
  "config new asks the endpoint when no node is selected",
  async ({ osctl, dir }) => {
    const { status } = await osctl(`config new ${dir}/new --context a`, {
      nodes: { "": answering() },
    });
    assert.equal(status, 0);
  },
);

testWith(
  twoContexts,
  "config new refuses an existing file before it asks",
  async ({ osctl, path, text }) => {
    const { err, status } = await osctl(`config new ${path}`, {
      nodes: { a: {} },
    });
    assert.equal(
      err,
      `error: Cannot write "${path}": it already exists
hint: Choose another path, or remove it first
`,
    );
    assert.equal(status, 2);
    assert.equal(await text(), twoContexts);
  },
);

testWith(
  twoContexts,
  "config new does not overwrite a file that came meanwhile",
  async ({ osctl, dir }) => {
    const path = `${dir}/new`;
    const { status } = await osctl(`config new ${path}`, {
      nodes: {
        a: {
          async generateClientConfiguration(request: unknown) {
            await Deno.writeTextFile(path, "mine");
            return answering().generateClientConfiguration(request);
          },
        },
      },
    });
    assert.equal(status, 2);
    assert.equal(await Deno.readTextFile(path), "mine");
  },
);

testWith(
  twoContexts,
  "config new refuses unknown roles and a life that is too short",
  async ({ osctl, dir }) => {
    const roles = await osctl(`config new ${dir}/new --roles os:admin,root`, {
      nodes: { a: {} },
    });
    assert.equal(
      roles.err,
      `error: Unknown roles "root"
hint: Roles are os:admin, os:operator, os:reader, os:etcd:backup, os:impersonator
`,
    );
    assert.equal(roles.status, 2);
    const none = await osctl(`config new ${dir}/new --roles=`, {
      nodes: { a: {} },
    });
    assert.match(none.err, /^error: Flag --roles is empty\n/);
    assert.equal(none.status, 2);
    const ttl = await osctl(`config new ${dir}/new --crt-ttl 0`);
    assert.match(
      ttl.err,
      /^error: Invalid value "0" for --crt-ttl: must be at least one second\n/,
    );
    assert.equal(ttl.status, 2);
    assert.deepEqual(await namesIn(dir), ["config"]);
  },
);

testWith(
  twoContexts,
  "config new passes on what the node says, and writes nothing",
  async ({ osctl, dir }) => {
    const { err, status } = await osctl(`config new ${dir}/new`, {
      nodes: {
        a: {
          generateClientConfiguration: () =>
            Promise.reject(new RpcError("FAILED_PRECONDITION", "a worker")),
        },
      },
    });
    assert.equal(
      err,
      "error: a worker\nhint: Choose a control plane with --nodes\n",
    );
    assert.equal(status, 1);
    const wrong = await osctl(`config new ${dir}/new`, {
      nodes: { a: answering("context: x\n") },
    });
    assert.equal(
      wrong.err,
      'error: Node "a" sent a client configuration without a current context\n',
    );
    assert.equal(wrong.status, 1);
    assert.deepEqual(await namesIn(dir), ["config"]);
  },
);

testWith(
  twoContexts,
  "config new - prints what the node sends, and writes no file",
  async ({ osctl }) => {
    const ran = await osctl("config new -", {
      nodes: { "10.1.0.5": answering() },
    });
    assert.deepEqual(toOutput(ran), { out: written, err: "", status: 0 });
    await assert.rejects(Deno.stat("-"), Deno.errors.NotFound);
  },
);
