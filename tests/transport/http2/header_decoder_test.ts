import assert from "node:assert/strict";
import fc from "fast-check";
import http2, { type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import {
  CompressionError,
  HeaderDecoder,
} from "../../../transport/http2/header_decoder.ts";
import { encodeHeaders } from "../../../transport/http2/sender.ts";
import { Http2Session } from "../../../transport/http2/session.ts";
import { never } from "./_peer.ts";

const decoder = (tableSize = 4096, listSize = 65_536) =>
  new HeaderDecoder({ tableSize, listSize });

const bytes = (hex: string) => Uint8Array.fromHex(hex.replaceAll(" ", ""));

const literals = [
  ["400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", [
    "custom-key",
    "custom-header",
  ]],
  ["040c 2f73 616d 706c 652f 7061 7468", [":path", "/sample/path"]],
  ["1008 7061 7373 776f 7264 0673 6563 7265 74", ["password", "secret"]],
  ["82", [":method", "GET"]],
] as const;

for (const [hex, field] of literals) {
  Deno.test(`a header block says ${field.join("=")} (RFC 7541, C.2)`, () => {
    assert.deepEqual(decoder().decode(bytes(hex)), [field]);
  });
}

const requests = [
  [
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/"],
    [":authority", "www.example.com"],
  ],
  [
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/"],
    [":authority", "www.example.com"],
    ["cache-control", "no-cache"],
  ],
  [
    [":method", "GET"],
    [":scheme", "https"],
    [":path", "/index.html"],
    [":authority", "www.example.com"],
    ["custom-key", "custom-value"],
  ],
];

const responses = [
  [
    [":status", "302"],
    ["cache-control", "private"],
    ["date", "Mon, 21 Oct 2013 20:13:21 GMT"],
    ["location", "https://www.example.com"],
  ],
  [
    [":status", "307"],
    ["cache-control", "private"],
    ["date", "Mon, 21 Oct 2013 20:13:21 GMT"],
    ["location", "https://www.example.com"],
  ],
  [
    [":status", "200"],
    ["cache-control", "private"],
    ["date", "Mon, 21 Oct 2013 20:13:22 GMT"],
    ["location", "https://www.example.com"],
    ["content-encoding", "gzip"],
    ["set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"],
  ],
];

const sequences = [
  {
    section: "C.3",
    tableSize: 4096,
    fields: requests,
    blocks: [
      "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
      "8286 84be 5808 6e6f 2d63 6163 6865",
      "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ],
  },
  {
    section: "C.4",
    tableSize: 4096,
    fields: requests,
    blocks: [
      "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
      "8286 84be 5886 a8eb 1064 9cbf",
      "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ],
  },
  {
    section: "C.5",
    tableSize: 256,
    fields: responses,
    blocks: [
      "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
      "4803 3330 37c1 c0bf",
      "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31",
    ],
  },
  {
    section: "C.6",
    tableSize: 256,
    fields: responses,
    blocks: [
      "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
      "4883 640e ffc1 c0bf",
      "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    ],
  },
];

for (const { section, tableSize, fields, blocks } of sequences) {
  Deno.test(`header blocks that build on each other are read (RFC 7541, ${section})`, () => {
    const reader = decoder(tableSize);
    assert.deepEqual(blocks.map((hex) => reader.decode(bytes(hex))), fields);
  });
}

const wrong = [
  ["an index of 0", "80"],
  ["an unknown index", "be"],
  ["a string that is cut", "4003 61"],
  ["a number that is cut", "ff"],
  ["a number without end", "ff80 8080 8080 8080 8001"],
  ["a table larger than allowed", "3fe2 1f"],
  ["a change of the table behind a field", "8220"],
  ["padding that is too long", "0081 ff81 ff"],
  ["padding of zeros", "0081 18 8118"],
  ["an end of string within one", "0084 ffff ffff 0161"],
] as const;

for (const [title, hex] of wrong) {
  Deno.test(`a header block with ${title} is refused`, () => {
    assert.throws(() => decoder().decode(bytes(hex)), CompressionError);
  });
}

Deno.test("a list of fields that is too large is omitted, and what it added is known", () => {
  const reader = decoder(4096, 100);
  const add = [0x40, 1, 97, 1, 98];
  assert.equal(reader.decode(new Uint8Array([...add, 0xbe, 0xbe])), undefined);
  assert.deepEqual(reader.decode(new Uint8Array([0xbe])), [["a", "b"]]);
});

const name = fc.stringMatching(/^x-[a-z0-9-]{1,20}$/);
const value = fc.stringMatching(/^(?:[!-~](?:[ -~]{0,60}[!-~])?)?$/);
const fieldLists = fc.uniqueArray(fc.tuple(name, value), {
  selector: ([name]) => name,
  maxLength: 12,
});

Deno.test("headers: decoding reverses encoding", () => {
  fc.assert(fc.property(fieldLists, (fields) => {
    assert.deepEqual(decoder().decode(encodeHeaders(fields)), fields);
  }));
});

Deno.test("a secret is marked as one that no table may hold", () => {
  const [first] = encodeHeaders([["authorization", "Basic x"]]);
  assert.equal(first! & 0xf0, 0x10);
});

Deno.test("another implementation reads our header fields, and we read its own", async () => {
  const server = http2.createServer();
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    const own = Object.entries(headers).filter(([name]) => /^x-/.test(name));
    stream.respond({ ":status": 200, ...Object.fromEntries(own) });
    stream.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const session = await Http2Session.open(
    await Deno.connect({ hostname: "127.0.0.1", port }),
    never,
  );
  await fc.assert(
    fc.asyncProperty(fieldLists, async (fields) => {
      const answered = Promise.withResolvers<readonly (readonly string[])[]>();
      session.request([
        [":method", "POST"],
        [":scheme", "http"],
        [":path", "/"],
        [":authority", "x"],
        ...fields,
      ], {
        headers: answered.resolve,
        data() {},
        ended() {},
        failed: answered.reject,
      }).end();
      const seen = (await answered.promise).filter(([name = ""]) =>
        name.startsWith("x-")
      );
      assert.deepEqual(
        seen.toSorted(),
        fields.map(([name, value]) => [name, value]).toSorted(),
      );
    }),
    { numRuns: 200 },
  );
  session.destroy(new Error("over"));
  await new Promise((resolve) => server.close(resolve));
});
