import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import { withFolder } from "../../_folder.ts";
import { parseReference } from "../../../workflows/image_cache/reference.ts";
import { registryClient } from "../../../workflows/image_cache/registry.ts";
import { create } from "./_create.ts";
import { newCa, serverPair, toCaPem } from "../../transport/_certificates.ts";
import { testRegistry } from "./_registry.ts";

Deno.test("a registry is given the login it wants, and one without the platform is named", async () => {
  await using registry = testRegistry();
  await withFolder({}, async (folder) => {
    registry.login = "dTpw";
    for (
      const login of [
        { kind: "basic", basic: "dTpw" },
        { kind: "refresh-token", token: "dTpw" },
      ] as const
    ) {
      await create(registry.host, `${folder}/${login.kind}`, { login });
    }
    await assert.rejects(
      create(registry.host, folder, {
        platforms: ["linux/riscv64"],
        login: { kind: "basic", basic: "dTpw" },
      }),
      new OsctlError(
        `${registry.host}/team/app:v1 is not available for linux/riscv64`,
      ),
    );
  });
});

Deno.test("a registry that cannot be reached is named, with the reason in words", async () => {
  const { signal } = new AbortController();
  const registry = testRegistry();
  const { host } = registry;
  await registry[Symbol.asyncDispose]();
  const client = registryClient({
    insecure: false,
    login: () => Promise.resolve(undefined),
    signal,
  });
  const image = parseReference(`${host}/team/app:v1`);
  await assert.rejects(client.manifest(image, "v1"), {
    name: "OsctlError",
    message: `Cannot reach registry ${host}: the connection was refused`,
  });
});

Deno.test("a challenge or a token that is wrong is refused by name", async () => {
  const { signal } = new AbortController();
  let realm = "";
  let token = "";
  const port = Promise.withResolvers<number>();
  await using server = Deno.serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      signal,
      onListen: (address) => port.resolve(address.port),
    },
    ({ url }) =>
      url.includes("/token") ? new Response(token) : new Response(null, {
        status: 401,
        headers: { "www-authenticate": `Bearer realm="${realm}"` },
      }),
  );
  assert.ok(server);
  const host = `127.0.0.1:${await port.promise}`;
  const client = registryClient({
    insecure: false,
    login: () => Promise.resolve(undefined),
    signal,
  });
  const image = parseReference(`${host}/team/app:v1`);
  const own = `http://${host}/token`;
  const wrong = [
    ["/token", "", `${host} names no URL to get tokens from: "/token"`],
    [
      "file:///etc/x",
      "",
      `${host} names no URL to get tokens from: "file:///etc/x"`,
    ],
    [own, "{}", `${host} sent no token for ${host}/team/app`],
    [own, '{"token":7}', `${host} sent no token for ${host}/team/app`],
    [own, "null", `${host} sent no token for ${host}/team/app`],
    [own, "{", `${host} sent a token that cannot be read`],
  ] as const;
  for (const [where, sent, message] of wrong) {
    [realm, token] = [where, sent];
    await assert.rejects(client.manifest(image, "v1"), { message });
  }
});

Deno.test("a manifest without an end is not read to it", async () => {
  const { signal } = new AbortController();
  let sent = 0;
  const port = Promise.withResolvers<number>();
  await using server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal,
    onListen: (address) => port.resolve(address.port),
  }, () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += 65_536;
          controller.enqueue(new Uint8Array(65_536));
        },
      }),
    ));
  assert.ok(server);
  const host = `127.0.0.1:${await port.promise}`;
  const client = registryClient({
    insecure: false,
    login: () => Promise.resolve(undefined),
    signal,
  });
  const image = parseReference(`${host}/team/app:v1`);
  await assert.rejects(client.manifest(image, "v1"), {
    message: `The manifest of ${host}/team/app:v1 is too large: over 4 MiB`,
  });
  assert.ok(sent < 64 * 1024 * 1024, `${sent}`);
});

Deno.test("a registry with TLS that names a place without it for tokens gets no credentials there", async () => {
  const { signal } = new AbortController();
  const sent: string[] = [];
  const start = (tls: object, answer: (request: Request) => Response) => {
    const port = Promise.withResolvers<number>();
    const server = Deno.serve({
      hostname: "127.0.0.1",
      port: 0,
      ...tls,
      onListen: (address) => port.resolve(address.port),
    }, answer);
    return { server, port: port.promise };
  };
  const plain = start({}, ({ headers }) => {
    sent.push(headers.get("authorization") ?? "");
    return Response.json({ token: "t" });
  });
  const ca = await newCa();
  const { crt: cert, key } = await serverPair(ca);
  let realm = `http://127.0.0.1:${await plain.port}/token`;
  const registry = start(
    { cert, key },
    ({ url }) =>
      url.includes("/token")
        ? Response.redirect(`http://127.0.0.1:${new URL(plainUrl).port}/token`)
        : new Response(null, {
          status: 401,
          headers: { "www-authenticate": `Bearer realm="${realm}"` },
        }),
  );
  const plainUrl = realm;
  await using _plain = plain.server;
  await using _registry = registry.server;
  using http = Deno.createHttpClient({ caCerts: [toCaPem(ca)] });
  const host = `127.0.0.1:${await registry.port}`;
  const image = parseReference(`${host}/team/app:v1`);
  const ask = () =>
    registryClient({
      insecure: false,
      login: () => Promise.resolve({ kind: "basic", basic: "dTpw" }),
      client: http,
      signal,
    }).manifest(image, "v1");
  await assert.rejects(ask(), {
    message:
      `${host} uses TLS and names a URL without it to get tokens from, which would show credentials to others: "${realm}"`,
  });
  realm = `https://${host}/token`;
  await assert.rejects(ask(), {
    message: `${host} returned HTTP 302 for a token for ${host}/team/app`,
  });
  assert.deepEqual(sent, []);
});
