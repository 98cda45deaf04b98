import { documentKind } from "../table.ts";

export const ethernet = documentKind()`
EthernetConfig | named, since 1.10 | Ethernet settings of a link: features, ring buffers, channels, Wake-on-LAN
  = {"name": "enp0s3", "features": {"tx-tcp-segmentation": false}, "rings": {"rx": 256, "tx": 256},
    "channels": {"combined": 4}, "wakeOnLan": ["magic"]}
  name              | text, always | Name or alias of the link | "enp0s3"
  features          | map(boolean) | Offloads and other features to turn on or off, by name
    = {"tx-tcp-segmentation": false}
  rings             | struct, optional | Ring buffer settings | {"rx": 256, "tx": 256}
    rx              | u32, optional | Size of the receive ring
    tx              | u32, optional | Size of the transmit ring
    rx-mini         | u32, optional | Size of the receive ring for small packets
    rx-jumbo        | u32, optional | Size of the receive ring for jumbo packets
    rx-buf-len      | u32, optional | Length of a receive buffer, in bytes
    cqe-size        | u32, optional | Size of a completion queue entry, in bytes
    tx-push         | boolean, optional | Enables transmit push mode
    rx-push         | boolean, optional | Enables receive push mode
    tx-push-buf-len | u32, optional | Length of the transmit push buffer, in bytes
    tcp-data-split  | boolean, optional | Enables splitting TCP headers and data into separate buffers
  channels          | struct, optional | Channel settings | {"combined": 4}
    rx              | u32, optional | Number of receive channels
    tx              | u32, optional | Number of transmit channels
    other           | u32, optional | Number of channels for other interrupts
    combined        | u32, optional | Number of combined receive and transmit channels
  wakeOnLan         | list(choice(phy unicast multicast broadcast magic magicsecure filter)), since 1.12 | Wake-on-LAN modes; empty to disable
    = ["magic"]
`;
