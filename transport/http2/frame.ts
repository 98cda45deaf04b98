/** Frames of HTTP/2 and their codes (RFC 9113, 4, 6 and 7). */

/** Kinds of frames. */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flags; what one means depends on the kind of frame. */
export const flag = {
  ack: 1,
  endStream: 1,
  endHeaders: 4,
  padded: 8,
  priority: 32,
} as const;

/** Error codes. */
export const errorCode = {
  noError: 0,
  protocolError: 1,
  flowControlError: 3,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
} as const;

/** Settings. */
export const setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** Bytes before the payload of each frame. */
export const frameHeaderSize = 9;

/** Largest payload unless settings say otherwise, and least that they may say. */
export const defaultFrameSize = 16_384;

/** Largest window. */
export const largestWindow = 2 ** 31 - 1;

/** Window of a connection and of its streams before anybody said otherwise. */
export const defaultWindow = 65_535;

/** The other side, or this one, broke the rules of the protocol; the connection ends. */
export class Http2Error extends Error {
  override readonly name = "Http2Error";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Writes a frame.
 *
 * @param stream Number of the stream; 0 for the connection.
 * @param payload Its payload, shorter than 16 MiB.
 */
export function encodeFrame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array | readonly number[] = [],
): Uint8Array {
  const bytes = new Uint8Array(frameHeaderSize + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length * 256 + type);
  bytes[4] = flags;
  view.setUint32(5, stream);
  bytes.set(payload, frameHeaderSize);
  return bytes;
}

/** A number as frames carry it. `value`: 0 to 2^32 - 1. */
export function uint32(value: number): readonly number[] {
  return [value >>> 24, value >>> 16 & 255, value >>> 8 & 255, value & 255];
}

/** Writes settings. */
export function settingsFrame(
  settings: readonly (readonly [setting: number, value: number])[],
): Uint8Array {
  const payload = settings.flatMap((
    [id, value],
  ) => [id >> 8, id & 255, ...uint32(value)]);
  return encodeFrame(frameType.settings, 0, 0, payload);
}

/** What the client begins a connection with (RFC 9113, 3.4). */
export const preface: Uint8Array = new TextEncoder().encode(
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
);
