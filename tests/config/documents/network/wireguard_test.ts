import { wireguard } from "../../../../config/documents/network/wireguard.ts";
import { testRules } from "../_rules.ts";

const key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

testRules(wireguard, [
  {
    title: "keys have 32 bytes",
    value: {
      privateKey: key,
      peers: [
        { publicKey: key, presharedKey: key },
        {
          publicKey: key,
          presharedKey: "",
          persistentKeepaliveInterval: "25s",
        },
      ],
    },
    problems: [],
  },
  {
    title: "keys with another length or alphabet are refused, and not shown",
    value: {
      privateKey: "AAAA",
      peers: [{ publicKey: "a key", presharedKey: `${key}AAAA` }],
    },
    problems: [
      "privateKey: Private key has 3 bytes",
      "peers[0].publicKey: Public key is not base64",
      "peers[0].presharedKey: Preshared key is not base64",
    ],
  },
  {
    title: "intervals are not negative",
    value: {
      privateKey: key,
      peers: [{ publicKey: key, persistentKeepaliveInterval: "-1s" }],
    },
    problems: [
      'peers[0].persistentKeepaliveInterval: Interval "-1s" is negative',
    ],
  },
  {
    title: "a tunnel is a link",
    value: { privateKey: key, addresses: [{ address: "::/0" }] },
    problems: ['addresses[0].address: Address "::/0" is not a host address'],
  },
]);
