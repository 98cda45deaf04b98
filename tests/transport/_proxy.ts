/** Proxies that know where names lead, and remember what they were asked. */

/** A running proxy. */
export interface TestProxy extends AsyncDisposable {
  /** `host:port`. */
  readonly address: string;
  /** First bytes of every client, as text. */
  readonly asked: string[];
}

export type Targets = Readonly<Record<string, string>>;

/** Proxy that speaks HTTP; answers 407 without the credentials and 502 for unknown targets. */
export function httpProxy(
  targets: Targets,
  { credentials, tls }: {
    readonly credentials?: string;
    readonly tls?: { readonly cert: string; readonly key: string };
  } = {},
): TestProxy {
  return proxy(tls, async (client, asked) => {
    const request = await readUntil(client, "\r\n\r\n");
    asked.push(request);
    const [, target = ""] = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(request) ?? [];
    const authorized = credentials === undefined ||
      request.includes(`Proxy-Authorization: Basic ${btoa(credentials)}\r\n`);
    const status = !authorized ? 407 : targets[target] ? 200 : 502;
    await write(client, `HTTP/1.1 ${status} x\r\nVia: test\r\n\r\n`);
    return status === 200 ? targets[target] : undefined;
  });
}

/** Proxy that speaks SOCKS5; unknown targets are refused with reply 2. */
export function socksProxy(
  targets: Targets,
  credentials?: readonly [string, string],
): TestProxy {
  return proxy(undefined, async (client, asked) => {
    const [, count = 0] = await readBytes(client, 2);
    const methods = await readBytes(client, count);
    const method = credentials ? 2 : 0;
    if (!methods.includes(method)) {
      await client.write(new Uint8Array([5, 255]));
      return undefined;
    }
    await client.write(new Uint8Array([5, method]));
    if (credentials) {
      await readBytes(client, 1);
      const given = [await readText(client), await readText(client)];
      asked.push(given.join(" / "));
      const wrong = given.join() !== credentials.join();
      await client.write(new Uint8Array([1, wrong ? 1 : 0]));
      if (wrong) return undefined;
    }
    const [, , , kind] = await readBytes(client, 4);
    const target = await readTarget(client, kind);
    asked.push(target);
    const reply = targets[target] ? 0 : 2;
    // The longest of the forms an address may have in the reply.
    await client.write(new Uint8Array([5, reply, 0, 3, 3, 97, 98, 99, 0, 1]));
    return targets[target];
  });
}

function proxy(
  tls: { readonly cert: string; readonly key: string } | undefined,
  greet: (client: Deno.Conn, asked: string[]) => Promise<string | undefined>,
): TestProxy {
  const listener = tls
    ? Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...tls })
    : Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const asked: string[] = [];
  const connections: Deno.Conn[] = [];
  const served = serve();

  async function serve(): Promise<void> {
    const clients: Promise<void>[] = [];
    for await (const client of listener) clients.push(carry(client));
    await Promise.all(clients);
  }

  async function carry(client: Deno.Conn): Promise<void> {
    connections.push(client);
    const target = await greet(client, asked).catch(() => undefined);
    if (target === undefined) return;
    const [hostname = "", port] = target.split(/:(?=\d+$)/);
    const server = await Deno.connect({ hostname, port: Number(port) });
    connections.push(server);
    await Promise.allSettled([
      client.readable.pipeTo(server.writable),
      server.readable.pipeTo(client.writable),
    ]);
  }

  return {
    address: `127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of connections) {
        try {
          connection.close();
        } catch {
          // was closed with its streams
        }
      }
      await served;
    },
  };
}

async function readTarget(client: Deno.Conn, kind?: number): Promise<string> {
  const host = kind === 1
    ? (await readBytes(client, 4)).join(".")
    : kind === 4
    ? (await readBytes(client, 16)).toHex()
    : await readText(client);
  const [high = 0, low = 0] = await readBytes(client, 2);
  return `${host}:${high * 256 + low}`;
}

async function readText(client: Deno.Conn): Promise<string> {
  const [length = 0] = await readBytes(client, 1);
  return new TextDecoder().decode(await readBytes(client, length));
}

async function readUntil(client: Deno.Conn, end: string): Promise<string> {
  let text = "";
  while (!text.endsWith(end)) {
    text += new TextDecoder().decode(await readBytes(client, 1));
  }
  return text;
}

async function readBytes(
  client: Deno.Conn,
  size: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size;) {
    const count = await client.read(bytes.subarray(at));
    if (count === null) throw new Error("closed");
    at += count;
  }
  return bytes;
}

async function write(client: Deno.Conn, text: string): Promise<void> {
  await client.write(new TextEncoder().encode(text));
}
