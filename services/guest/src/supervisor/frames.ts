// Encodes and decodes frames between the guest and the helper (native/PROTOCOL.md). No I/O here.
import { bytesPerMb } from '@berth/contract/guest';
import type { ProcessKey, ProcessRecord, SpawnFailure, SpawnRequest } from './supervisor.ts';

const keyBytes = 16;
export const maxFrameBytes = 4 * bytesPerMb;

const lengthBytes = 4;
const headerBytes = lengthBytes + 1 + keyBytes;
const recordBytes = 4 + 8 * 4 + 3;
const spawnStages = ['folder', 'program', 'log', 'fork'] as const;

export type FrameToHelper = 'S' | 'K' | 'W' | 'E' | 'R' | 'L' | 'O' | 'F';

export type FrameFromHelper =
  | { type: 'record' | 'output' | 'exit'; record: ProcessRecord }
  | { type: 'ready' }
  | { type: 'spawned'; key: ProcessKey; outcome: ProcessRecord | SpawnFailure }
  | { type: 'written'; key: ProcessKey; ok: boolean };

export function encodeFrame(type: FrameToHelper, key: ProcessKey, payload: Buffer = Buffer.alloc(0)): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + payload.length);
  frame.writeUInt32LE(headerBytes - lengthBytes + payload.length);
  frame.write(type, lengthBytes, 'latin1');
  if (frame.write(key, lengthBytes + 1, keyBytes, 'latin1') !== keyBytes) {
    throw new Error(`The key ${key} is not ${keyBytes} characters long.`);
  }
  payload.copy(frame, headerBytes);
  return frame;
}

export function encodeSpawn(key: ProcessKey, request: SpawnRequest): Buffer {
  const terminal = typeof request.input === 'object' ? request.input : { cols: 0, rows: 0 };
  const variables = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  const texts = [request.logFolder, request.workingDirectory, ...request.args, ...variables];
  const numbers = Buffer.alloc(1 + 2 + 2 + 8 + 4 + 4);
  numbers.writeUInt8(request.input === 'none' ? 0 : request.input === 'pipe' ? 1 : 2);
  numbers.writeUInt16LE(terminal.cols, 1);
  numbers.writeUInt16LE(terminal.rows, 3);
  numbers.writeBigUInt64LE(BigInt(request.maxLogBytes), 5);
  numbers.writeUInt32LE(request.args.length, 13);
  numbers.writeUInt32LE(variables.length, 17);
  return encodeFrame('S', key, Buffer.concat([numbers, ...texts.map((text) => Buffer.from(`${text}\0`))]));
}

export function encodeNumber(type: 'L' | 'O', key: ProcessKey, value: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeBigUInt64LE(BigInt(value));
  return encodeFrame(type, key, payload);
}

export function encodeResize(key: ProcessKey, cols: number, rows: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt16LE(cols);
  payload.writeUInt16LE(rows, 2);
  return encodeFrame('R', key, payload);
}

/** Accepts bytes as they arrive, cut anywhere, and yields whole frames. */
export class FrameDecoder {
  #rest = Buffer.alloc(0);

  *decode(chunk: Buffer): Generator<FrameFromHelper> {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= lengthBytes) {
      const end = lengthBytes + bytes.readUInt32LE();
      if (end < headerBytes || end > maxFrameBytes) throw new Error(`The helper sent a frame of ${end} bytes.`);
      if (bytes.length < end) break;
      yield decodeFrame(bytes.subarray(lengthBytes, end));
      bytes = bytes.subarray(end);
    }
    this.#rest = Buffer.from(bytes);
  }
}

function decodeFrame(frame: Buffer): FrameFromHelper {
  const type = frame.toString('latin1', 0, 1);
  const key = frame.toString('latin1', 1, 1 + keyBytes);
  const payload = frame.subarray(1 + keyBytes);
  switch (type) {
    case 'r':
      return { type: 'record', record: decodeRecord(key, payload) };
    case 'o':
      return { type: 'output', record: decodeRecord(key, payload) };
    case 'x':
      return { type: 'exit', record: decodeRecord(key, payload) };
    case 'y':
      return { type: 'ready' };
    case 'w':
      return { type: 'written', key, ok: payload.readUInt8() === 1 };
    case 's':
      return { type: 'spawned', key, outcome: decodeOutcome(key, payload) };
    default:
      throw new Error(`The helper sent a frame of the unknown type ${JSON.stringify(type)}.`);
  }
}

function decodeOutcome(key: ProcessKey, payload: Buffer): ProcessRecord | SpawnFailure {
  const stage = spawnStages[payload.readUInt8() - 1];
  return stage === undefined ? decodeRecord(key, payload.subarray(5)) : { stage, errno: payload.readUInt32LE(1) };
}

function decodeRecord(key: ProcessKey, bytes: Buffer): ProcessRecord {
  if (bytes.length < recordBytes) throw new Error(`The helper sent a record of ${bytes.length} bytes.`);
  const large = (offset: number) => Number(bytes.readBigUInt64LE(offset));
  return {
    key,
    pid: bytes.readUInt32LE(),
    startTicks: large(4),
    ends: { stdout: large(12), stderr: large(20), all: large(28) },
    exit: bytes.readUInt8(36) === 0 ? undefined : { code: bytes.readUInt8(37), signal: bytes.readUInt8(38) },
    isSettled: bytes.readUInt8(36) === 2,
  };
}
