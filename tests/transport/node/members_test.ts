import assert from "node:assert/strict";
import { nodeClient } from "../../../transport/call/client.ts";
import {
  allMembers,
  clusterMembers,
  distinctNodes,
  etcdAddresses,
  knownMembers,
  memberAddresses,
  memberNamed,
} from "../../../transport/node/members.ts";
import { RpcError } from "../../../errors.ts";
import { fakeNodes } from "../../_fake.ts";

/** A client whose only resources are these, and what it was asked. */
function openClient(specs: readonly string[]) {
  const asked: unknown[] = [];
  const client = nodeClient("endpoint", {
    unary: () => assert.fail("unary call"),
    async *stream(method, request) {
      asked.push([method.path, request]);
      for (const yamlSpec of specs) {
        yield method.responseType.decode(encode(yamlSpec));
      }
    },
    close() {},
  }, {});
  return { client, asked };
}

/** `ListResponse` with a resource of this spec. */
function encode(yamlSpec: string): Uint8Array {
  const text = new TextEncoder().encode(yamlSpec);
  const spec = [0x12, text.length, ...text]; // Spec.yaml_spec
  const resource = [0x12, spec.length, ...spec]; // Resource.spec
  return new Uint8Array([0x0a, resource.length, ...resource]);
}

Deno.test("clusterMembers lists the members of the cluster namespace", async () => {
  const { client, asked } = openClient([
    "addresses:\n  - 10.0.0.1\n  - fd00::1\nhostname: cp1\nmachineType: controlplane\n",
    "addresses: [10.0.0.2]\nhostname: cp0\nmachineType: init\n",
    "addresses: [10.0.0.3]\nmachineType: worker\n",
  ]);
  assert.deepEqual(await clusterMembers(client), [
    {
      address: "10.0.0.1",
      addresses: ["10.0.0.1", "fd00::1"],
      hostname: "cp1",
      controlPlane: true,
    },
    { address: "10.0.0.2", hostname: "cp0", controlPlane: true },
    { address: "10.0.0.3", hostname: "10.0.0.3", controlPlane: false },
  ]);
  const [[path, request]] = asked as [[string, Record<string, unknown>]];
  assert.equal(path, "/cosi.resource.State/List");
  assert.equal(request["namespace"], "cluster");
  assert.equal(request["type"], "Members.cluster.talos.dev");
});

for (const spec of ["", "text", "[]", "addresses: []", "addresses: {a: 1}"]) {
  Deno.test(`clusterMembers passes over the spec "${spec}"`, async () => {
    assert.deepEqual(await clusterMembers(openClient([spec]).client), []);
  });
}

/** An endpoint without discovery, whose etcd has three members. */
function alone(list: () => AsyncGenerator<unknown>) {
  const of = (name: string, host: string) => ({
    id: 1n,
    hostname: name,
    clientUrls: name === "" ? [] : [`https://${host}:2379`],
    peerUrls: [`https://${host}:2380`],
  });
  const members = [
    of("cp2", "10.0.0.2"),
    of("", "[fd00::3]"),
    of("cp1", "10.0.0.1"),
  ];
  const etcdMemberList = () => ({ messages: [{ members }] });
  return fakeNodes({ "": { list, etcdMemberList } }).nodes.endpoint();
}

async function* listing(...specs: readonly unknown[]) {
  for (const spec of specs) {
    const resource = { spec: { yamlSpec: JSON.stringify(spec) } };
    yield await Promise.resolve({ resource });
  }
}

const own = {
  addresses: ["10.0.0.1"],
  hostname: "cp1.lab",
  machineType: "controlplane",
};

Deno.test("knownMembers adds the control planes of etcd when discovery lists the endpoint only", async () => {
  const found = await knownMembers(await alone(() => listing(own)));
  const fromEtcd = true;
  assert.deepEqual(found, [
    { address: "10.0.0.1", hostname: "cp1.lab", controlPlane: true },
    { address: "10.0.0.2", hostname: "cp2", controlPlane: true, fromEtcd },
    { address: "fd00::3", hostname: "fd00::3", controlPlane: true, fromEtcd },
  ]);
  const { length } = await knownMembers(await alone(() => listing()));
  assert.equal(length, 3);
});

Deno.test("knownMembers leaves etcd alone when discovery lists others", async () => {
  const worker = { addresses: ["10.0.0.9"], machineType: "worker" };
  const found = await knownMembers(await alone(() => listing(own, worker)));
  assert.deepEqual(found.map(({ address }) => address), [
    "10.0.0.1",
    "10.0.0.9",
  ]);
});

Deno.test("allMembers refuses a list in which workers may be missing", () => {
  const one = { address: "a", hostname: "a", controlPlane: true };
  assert.deepEqual(allMembers([one]), [one]);
  const refused = {
    name: "OsctlError",
    message:
      "The workers of the cluster are unknown: discovery is off or does not work",
  };
  const cases = [[], [{ ...one, controlPlane: false }], [
    one,
    { ...one, fromEtcd: true as const },
  ]];
  for (const list of cases) assert.throws(() => allMembers(list), refused);
});

Deno.test("etcdAddresses takes each host once, and passes over what is not a URL", () => {
  assert.deepEqual(
    etcdAddresses({
      clientUrls: ["https://10.0.0.2:2379", "x"],
      peerUrls: ["https://10.0.0.2:2380", "https://[fd00::2]:2380"],
    }),
    ["10.0.0.2", "fd00::2"],
  );
});

const makeNamed = (hostname: string, address: string) => ({
  hostname,
  address,
  controlPlane: false,
});

Deno.test("memberNamed takes a name without its domain where only one member has it", () => {
  const members = [
    makeNamed("w1.example.org", "10.0.0.5"),
    makeNamed("w2.example.org", "10.0.0.6"),
    makeNamed("w2.example.com", "10.0.0.7"),
  ];
  assert.equal(memberNamed(members, "w1"), members[0]);
  assert.equal(memberNamed(members, "w2"), undefined);
  assert.equal(memberNamed(members, "w2.example.com"), members[2]);
  assert.equal(memberNamed(members, "10"), undefined);
});

Deno.test("each of its addresses names a member, and distinctNodes keeps the first name of each", () => {
  const member = (hostname: string, ...addresses: readonly string[]) => ({
    ...{ address: addresses[0] ?? "", addresses, hostname },
    controlPlane: false,
  });
  const members = [
    member("w1", "10.4.0.1", "10.5.0.1", "fd00::1"),
    { address: "10.5.0.2", hostname: "w2", controlPlane: false },
  ];
  assert.equal(memberNamed(members, "fd00::1"), members[0]);
  assert.equal(memberNamed(members, "10.5.0.2"), members[1]);
  assert.deepEqual(
    distinctNodes(
      ["10.5.0.1", "w2", "10.9.0.9", "10.4.0.1", "w1", "10.5.0.2", "10.9.0.9"],
      members,
    ),
    ["10.5.0.1", "w2", "10.9.0.9"],
  );
});

Deno.test("a name keeps the address it had, and members are listed only for names that are not known", async () => {
  let lists = 0;
  let members = [makeNamed("w1", "10.0.0.5")];
  const addressOf = memberAddresses(() => {
    lists++;
    return Promise.resolve(members);
  });
  const ask = () => Promise.all(["10.0.0.9", "w1", "w2"].map(addressOf));
  assert.deepEqual(await ask(), ["10.0.0.9", "10.0.0.5", "w2"]);
  assert.equal(lists, 1);
  members = [makeNamed("w1", "10.0.0.6"), makeNamed("w2", "10.0.0.7")];
  assert.deepEqual(await ask(), ["10.0.0.9", "10.0.0.5", "10.0.0.7"]);
  assert.equal(lists, 2);
  await ask();
  assert.equal(lists, 2);
});

Deno.test("a name is sent as it is where the members cannot be listed", async () => {
  const refused = new RpcError("PERMISSION_DENIED", "not authorized");
  const addressOf = memberAddresses(() => Promise.reject(refused));
  assert.equal(await addressOf("w1"), "w1");
});
