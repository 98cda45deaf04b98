/** HTTP/2 frames and their codes (RFC 9113, 4, 6 and 7). */

/** Frame types. */
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

/** Flags; their meaning depends on the frame type. */
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

/** Size of the frame header in bytes. */
export const frameHeaderSize = 9;

/** Default of SETTINGS_MAX_FRAME_SIZE, and its minimum. */
export const defaultFrameSize = 16_384;

/** Maximum window size. */
export const largestWindow = 2 ** 31 - 1;

/** Initial window size of a connection and its streams. */
export const defaultWindow = 65_535;

/** Connection error: one side violated the protocol. */
export class Http2Error extends Error {
  override readonly name = "Http2Error";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Encodes a frame.
 *
 * @param stream Number of the stream; 0 for the connection.
 * @param payload Payload, shorter than 16 MiB.
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

/** Encodes an unsigned 32-bit number. `value`: 0 to 2^32 - 1. */
export function uint32(value: number): readonly number[] {
  return [value >>> 24, value >>> 16 & 255, value >>> 8 & 255, value & 255];
}

/** Encodes a SETTINGS frame. */
export function settingsFrame(
  settings: readonly (readonly [setting: number, value: number])[],
): Uint8Array {
  const payload = settings.flatMap((
    [id, value],
  ) => [id >> 8, id & 255, ...uint32(value)]);
  return encodeFrame(frameType.settings, 0, 0, payload);
}

/** Connection preface of the client (RFC 9113, 3.4). */
export const preface: Uint8Array = new TextEncoder().encode(
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
);
