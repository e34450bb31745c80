// A small DNS server over UDP. It stands in for the internet's DNS, which no test may depend on; the resolver that
// queries it is the real one.
import { createSocket, type RemoteInfo } from 'node:dgram';

const types = { CNAME: 5, TXT: 16 } as const;

interface Zone {
  /** Sets the values of a record; `*.` before a name matches every name below it. */
  set(type: keyof typeof types, name: string, ...values: string[]): void;
  clear(): void;
}

export interface DnsResponder extends Zone, AsyncDisposable {
  /** Address in the form that the configuration expects for a resolver. */
  readonly address: string;
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

const writeName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

const writeText = (text: string): Buffer => Buffer.from([text.length, ...Buffer.from(text)]);

function answerTo(message: Buffer, records: ReadonlyMap<string, readonly string[]>): Buffer {
  const { name, end } = readName(message, 12);
  const type = message.readUInt16BE(end);
  const below = `*.${name.split('.').slice(1).join('.')}`;
  const values = records.get(`${type} ${name}`) ?? records.get(`${type} ${below}`) ?? [];
  const known = [...records.keys()].some((key) => key.endsWith(` ${name}`) || key.endsWith(` ${below}`));
  const header = Buffer.alloc(12);
  header.writeUInt16BE(message.readUInt16BE(0), 0);
  header.writeUInt16BE(known ? 0x8580 : 0x8583, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(values.length, 6);
  const answers = values.map((value) => {
    const data = type === types.CNAME ? writeName(value) : writeText(value);
    const fixed = Buffer.alloc(10);
    fixed.writeUInt16BE(type, 0);
    fixed.writeUInt16BE(1, 2);
    fixed.writeUInt32BE(1, 4);
    fixed.writeUInt16BE(data.length, 8);
    return Buffer.concat([Buffer.from([0xc0, 12]), fixed, data]);
  });
  return Buffer.concat([header, message.subarray(12, end + 4), ...answers]);
}

export async function startDnsResponder(): Promise<DnsResponder> {
  const records = new Map<string, string[]>();
  const socket = createSocket('udp4');
  socket.on('message', (message: Buffer, from: RemoteInfo) =>
    socket.send(answerTo(message, records), from.port, from.address),
  );
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    set: (type, name, ...values) => void records.set(`${types[type]} ${name}`, values),
    clear: () => records.clear(),
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
