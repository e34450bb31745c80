// Other protocols, pipelined requests, and bytes that belong to no protocol.
import { type Attack, hidden, requestText } from './request-text.ts';

const noise = ({ dice }: Attack, most: number): string =>
  String.fromCharCode(...Array.from({ length: 1 + dice.below(most) }, () => dice.below(256)));

const webSocket = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];

function upgradeNonsense(attack: Attack): string {
  const { dice } = attack;
  const lines = dice.pick<readonly string[]>([
    ['Upgrade: websocket'],
    ['Connection: Upgrade'],
    ['Connection: Upgrade', 'Upgrade: '],
    ['Connection: Upgrade', 'Upgrade: websocket', ...webSocket],
    ['Connection: Upgrade', 'Upgrade: websocket', 'Upgrade: h2c', ...webSocket],
    ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA'],
    ['Connection: Upgrade', `Upgrade: ${'x'.repeat(20_000)}`],
    ['Connection: Upgrade', 'Upgrade: a/b, c; d'],
    ['Connection: Upgrade', 'Upgrade: \x80\xff'],
    ['Connection: Upgrade', 'Upgrade: websocket', 'Transfer-Encoding: chunked', ...webSocket],
    ['Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 5', ...webSocket],
    ['Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 0', 'Content-Length: 0', ...webSocket],
    ['Connection: Upgrade', 'Upgrade: TLS/1.2'],
  ]);
  const body = dice.pick(['', hidden(attack), noise(attack, 200)]);
  return requestText(attack, { method: dice.pick(['GET', 'GET', 'POST', 'HEAD']), lines, body, stays: true });
}

function otherProtocols(attack: Attack): string {
  return attack.dice.pick([
    `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${noise(attack, 100)}`,
    `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${noise(attack, 500)}`,
    `PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n${requestText(attack)}`,
    `\x0d\x0a\x0d\x0a\x00\x0d\x0a\x51\x55\x49\x54\x0a${noise(attack, 50)}`,
    'SSH-2.0-client\r\n',
    `${JSON.stringify({ secret: 'forged', instance: attack.nonce })}\n`,
    noise(attack, 5_000),
    '\r\n'.repeat(3_000),
    '\0'.repeat(3_000),
  ]);
}

function pipelined(attack: Attack): string {
  const { dice } = attack;
  const valid = () => requestText(attack, { stays: true });
  return dice.pick([
    `${valid()}${valid()}${valid()}${valid()}${requestText(attack)}`,
    `${valid()}${hidden(attack)}`,
    `${valid()}${noise(attack, 500)}`,
    `${valid()}${noise(attack, 20)}${valid()}`,
    `${noise(attack, 20)}${valid()}`,
    `${requestText(attack)}${hidden(attack)}`,
    `${requestText(attack, { method: 'POST', lines: ['Content-Length: 10'], body: 'short', stays: true })}`,
    `${requestText(attack, { method: 'POST', lines: ['Content-Length: 3'], body: `abc${valid()}`, stays: true })}`,
    `${requestText(attack, { version: 'HTTP/1.0', stays: true })}${valid()}`,
    valid().repeat(50),
  ]);
}

/** A good request with a few bytes changed, doubled or removed. */
function mutated(attack: Attack): string {
  const { dice } = attack;
  const start = requestText(attack, {
    method: dice.pick(['GET', 'POST']),
    lines: [
      'Content-Type: application/json',
      ...dice.pick<readonly string[]>([[], ['Content-Length: 2'], ['Transfer-Encoding: chunked']]),
    ],
    body: dice.pick(['', '{}', '2\r\n{}\r\n0\r\n\r\n']),
  });
  let text = start;
  for (let round = 1 + dice.below(5); round > 0; round -= 1) {
    const at = dice.below(text.length);
    const put = dice.pick([
      '',
      String.fromCharCode(dice.below(256)),
      '\r\n',
      '\n',
      ' ',
      '\0',
      text.slice(at, at + dice.below(40)).repeat(2),
    ]);
    text = text.slice(0, at) + put + text.slice(at + dice.below(3));
  }
  return text;
}

export const streamShapes = { upgradeNonsense, otherProtocols, pipelined, mutated };
