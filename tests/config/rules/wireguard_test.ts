import { wireguardRules } from "../../../config/rules/wireguard.ts";
import { testRules } from "./_rules.ts";

const key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

testRules("wireguardRules", (root) => wireguardRules(root.get("w")), [
  [
    "takes peers",
    `w: {privateKey: ${key}, peers: [{publicKey: ${key}, endpoint: 'node:1', allowedIPs: [10.0.0.0/8]}]}`,
    [],
  ],
  ["takes no settings", "w: ~", []],
  ["wants a private key and does not show it", "w: {privateKey: QQ==}", [
    "error w.privateKey: The private key is not 32 bytes in base64",
  ]],
  [
    "wants public keys",
    `w: {privateKey: ${key}, peers: [{publicKey: QQ==}, ~]}`,
    [
      'error w.peers[0].publicKey: Public key "QQ==" is not 32 bytes in base64',
      "error w.peers[1]: A peer is empty",
    ],
  ],
  [
    "wants ports",
    `w: {privateKey: ${key}, peers: [{publicKey: ${key}, endpoint: node}, {publicKey: ${key}, endpoint: '[a:b]:1'}]}`,
    [
      'error w.peers[0].endpoint: Peer endpoint "node" has no port',
      'error w.peers[1].endpoint: Peer endpoint "[a:b]:1" has no port',
    ],
  ],
  [
    "wants networks in CIDR notation",
    `w: {privateKey: ${key}, peers: [{publicKey: ${key}, allowedIPs: [10.0.0.1]}]}`,
    [
      'error w.peers[0].allowedIPs[0]: Allowed network "10.0.0.1" is not in CIDR notation',
    ],
  ],
]);
