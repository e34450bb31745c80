// Terminals through the real helper and the built guest.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuestProcess, startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { residentMb } from '../../../tests/harness/resident-mb.ts';
import { connectTerminal } from '../../../tests/harness/terminal-client.ts';

const plainShell = { shell: '/bin/sh' };

let guest: GuestProcess;
beforeAll(async () => {
  guest = await startGuestProcess({ variables: { PS1: '$ ', FROM_BOOT: 'yes' } });
});
afterAll(() => guest[Symbol.asyncDispose]());

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function auditLines(): Promise<Record<string, string>[]> {
  return guest
    .output()
    .split('\n')
    .filter((line) => line.includes('"audit"'))
    .map((line) => JSON.parse(line) as Record<string, string>);
}

describe('a terminal', () => {
  it('shows what a shell prints, on a terminal of the size asked for, with the sandbox’s variables', async () => {
    await using client = await connectTerminal(guest.url, { ...plainShell, sessionId: 'size', cols: 101, rows: 33 });
    client.type('stty size; echo "$TERM $FROM_BOOT [$SANDBOX_LOG_DIR]"; tty\r');
    await client.until('33 101');
    await client.until('xterm-256color yes []');
    await client.until(/\/dev\/pts\/\d+/);
    client.type('exit\r');
    expect(await client.closed).toBe(1000);
  });

  it('takes a new size', async () => {
    await using client = await connectTerminal(guest.url, { ...plainShell, sessionId: 'resize' });
    client.resize(120, 40);
    client.type('stty size\r');
    await client.until('40 120');
    client.type('exit\r');
    await client.closed;
  });

  it('begins in the folder asked for', async () => {
    await using client = await connectTerminal(guest.url, {
      ...plainShell,
      sessionId: 'folder',
      workingDir: '/usr/bin',
    });
    client.type('echo in-$PWD\r');
    await client.until('in-/usr/bin');
    client.type('exit\r');
    await client.closed;
  });

  it('interrupts with ctrl-C', async () => {
    await using client = await connectTerminal(guest.url, { ...plainShell, sessionId: 'interrupt' });
    client.type('sh -c "echo runs-\\$((1+1)); exec sleep 600"\r');
    await client.until('runs-2');
    client.type('\x03');
    client.type('echo over-$((1+1))\r');
    await client.until('over-2');
    client.type('exit\r');
    await client.closed;
  });

  it('ends for all when the shell exits, although a child still holds the terminal', async () => {
    await using client = await connectTerminal(guest.url, { ...plainShell, sessionId: 'exit' });
    await using second = await connectTerminal(guest.url, { ...plainShell, sessionId: 'exit' });
    client.type('set -m; sleep 600 & echo child-$!; nohup sleep 601 & echo other-$!\r');
    const child = Number(/child-(\d+)/.exec(await client.until(/child-\d+/))?.[1]);
    const other = Number(/other-(\d+)/.exec(await client.until(/other-\d+/))?.[1]);
    expect(isAlive(child) && isAlive(other)).toBe(true);
    client.type('exit\r');
    client.type('exit\r');
    expect(await client.closed).toBe(1000);
    expect(await second.closed).toBe(1000);
    await expect.poll(() => isAlive(child) || isAlive(other)).toBe(false);
  });

  it('a character split over many writes arrives whole', async () => {
    await using client = await connectTerminal(guest.url, { ...plainShell, sessionId: 'utf8' });
    client.type("printf '\\342'; sleep 0.1; printf '\\202'; sleep 0.1; printf '\\254uro\\n'\r");
    await client.until('€uro');
    client.type('exit\r');
    await client.closed;
    expect(client.shown()).not.toContain('�');
  });
});

describe('sessions', () => {
  it('several sockets share one, and see the same', async () => {
    await using one = await connectTerminal(guest.url, { ...plainShell, sessionId: 'shared' });
    await using two = await connectTerminal(guest.url, { ...plainShell, sessionId: 'shared' });
    one.type('echo from-$((40+1))\r');
    await two.until('from-41');
    two.type('echo from-$((40+2))\r');
    await one.until('from-42');
    two.type('exit\r');
    await one.closed;
  });

  it('survive a disconnect, and show what was there after a reset of colours', async () => {
    const first = await connectTerminal(guest.url, { ...plainShell, sessionId: 'replay' });
    first.type('X=kept; echo before-$((1+1))\r');
    await first.until('before-2');
    await first[Symbol.asyncDispose]();
    await using second = await connectTerminal(guest.url, { ...plainShell, sessionId: 'replay' });
    await second.until('before-2');
    expect(second.shown().startsWith('\x1b[0m')).toBe(true);
    second.type('echo var-$X\r');
    await second.until('var-kept');
    second.type('exit\r');
    await second.closed;
  });

  it('replay at most 100 KiB, from the start of a line, and lose nothing after it', async () => {
    const first = await connectTerminal(guest.url, { ...plainShell, sessionId: 'long' });
    first.type(
      'i=0; while [ $i -lt 6000 ]; do echo "line-$i-0123456789012345678901234567"; i=$((i+1)); done; echo all-$((7*6))\r',
    );
    await first.until('all-42');
    await first[Symbol.asyncDispose]();
    await using second = await connectTerminal(guest.url, { ...plainShell, sessionId: 'long' });
    await second.until('all-42');
    const text = second.shown();
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100 * 1024 + 4);
    expect(Buffer.byteLength(text)).toBeGreaterThan(90 * 1024);
    const numbers = [...text.matchAll(/line-(\d+)-/g)].map(([, digits]) => Number(digits));
    expect(text.slice(4)).toMatch(/^line-/);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => 6000 - numbers.length + index));
    second.type('exit\r');
    await second.closed;
  });

  it('an id that ended is a new session', async () => {
    const first = await connectTerminal(guest.url, { ...plainShell, sessionId: 'again' });
    first.type('echo secret-$((1+1)); exit\r');
    await first.closed;
    await using second = await connectTerminal(guest.url, { ...plainShell, sessionId: 'again' });
    second.type('echo new-$((1+2))\r');
    await second.until('new-3');
    expect(second.shown()).not.toContain('secret-2');
    second.type('exit\r');
    await second.closed;
  });

  it('leave no file and no record behind', async () => {
    await expect.poll(() => readdir(join(guest.stateFolder, 'terminals')).catch(() => [])).toEqual([]);
  });

  it('survive a guest that is killed: the shell, its variables and what it showed', async () => {
    const first = await connectTerminal(guest.url, { ...plainShell, sessionId: 'restart' });
    first.type('X=survived; echo shell-$$\r');
    const shell = Number(/shell-(\d+)/.exec(await first.until(/shell-\d+/))?.[1]);
    process.kill(await guest.guestPid(), 'SIGKILL');
    await first.closed;
    await using second = await connectTerminal(guest.url, { ...plainShell, sessionId: 'restart' });
    await second.until(`shell-${shell}`);
    second.type('echo $X-$$\r');
    await second.until(`survived-${shell}`);
    second.type('exit\r');
    expect(await second.closed).toBe(1000);
  });
});

describe('refusals', () => {
  it.each([
    [{ shell: '/no/such/shell' }, /no program/],
    [{ shell: '/bin/sh', workingDir: '/no/such/folder' }, /folder \/no\/such\/folder/],
    [{ shell: '/bin/sh', sessionId: 'x'.repeat(129) }, /at most 128/],
  ])('is told in an error frame, then the socket closes: %j', async (query, message) => {
    await using client = await connectTerminal(guest.url, { sessionId: 'wrong', ...query });
    expect(await client.closed).toBe(1011);
    expect(client.errors).toEqual([expect.stringMatching(message)]);
  });

  it('a frame that is not JSON is told, an unknown one is ignored', async () => {
    await using client = await connectTerminal(guest.url, { ...plainShell, sessionId: 'frames' });
    client.socket.send('{"type":"future"}');
    client.type('echo still-$((1+1))\r');
    await client.until('still-2');
    client.socket.send('nonsense');
    expect(await client.closed).toBe(1007);
    expect(client.errors).toHaveLength(1);
    await using again = await connectTerminal(guest.url, { ...plainShell, sessionId: 'frames' });
    again.type('exit\r');
    await again.closed;
  });

  it('a plain request to the socket’s address is 426', async () => {
    expect((await fetch(`${guest.url}/terminal/ws`)).status).toBe(426);
  });
});

describe('the page', () => {
  it('is one file that loads nothing from anywhere', async () => {
    const answer = await fetch(`${guest.url}/terminal?token=x&sessionId=y`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await answer.text();
    expect(page).toContain('FitAddon');
    expect(page).not.toMatch(/(src|href)="(?!data:)/);
    expect(page.length).toBeGreaterThan(400_000);
  });

  it('R-54 the credential in its address is not in the log', async () => {
    await fetch(`${guest.url}/terminal?token=hunter2-token&sessionId=y`);
    await expect.poll(() => guest.output()).toContain('/terminal?token=redacted&sessionId=y');
    expect(guest.output()).not.toContain('hunter2-token');
  });
});

it('R-54 the audit log holds the lines as typed, and never what was typed at a password prompt', async () => {
  await using client = await connectTerminal(guest.url, { ...plainShell, sessionId: 'audited' });
  client.type('echo audix\x7ft-me\r');
  await client.until(/audit-me/);
  client.type('stty -echo; printf "Pass""word: "; read secret; stty echo\r');
  await client.until('Password: ');
  client.type('hunter2-typed\r');
  client.type('echo length-$(expr length $secret)\r');
  await client.until('length-13');
  client.type('exit\r');
  await client.closed;
  await expect
    .poll(async () =>
      (await auditLines()).some(({ session, action }) => session === 'audited' && action === 'terminal_disconnect'),
    )
    .toBe(true);
  const lines = (await auditLines()).filter(({ session }) => session === 'audited');
  expect(lines[0]?.action).toBe('terminal_connect');
  expect(lines.map(({ command }) => command)).toContain('echo audit-me');
  expect(JSON.stringify(lines)).not.toContain('hunter2-typed');
});

describe('settings', () => {
  it('DISABLE_TERMINAL takes the page and the socket away', async () => {
    await using off = await startGuestProcess({ variables: { DISABLE_TERMINAL: '1' } });
    expect((await fetch(`${off.url}/terminal`)).status).toBe(404);
    expect((await fetch(`${off.url}/terminal/ws`)).status).toBe(404);
    await expect(connectTerminal(off.url)).rejects.toThrow('404');
  });

  it('a session without a client is ended with all its processes', async () => {
    await using idle = await startGuestProcess({ variables: { SANDBOX_TERMINAL_IDLE_SECONDS: '1' } });
    const client = await connectTerminal(idle.url, { ...plainShell, sessionId: 'idle' });
    client.type('set -m; (trap "" HUP; exec sleep 602) & echo child-$! shell-$$\r');
    const [, child, shell] = /child-(\d+) shell-(\d+)/.exec(await client.until(/child-\d+ shell-\d+/)) ?? [];
    await client[Symbol.asyncDispose]();
    await expect.poll(() => isAlive(Number(child)) || isAlive(Number(shell)), { timeout: 45_000 }).toBe(false);
    await expect.poll(() => readdir(join(idle.stateFolder, 'terminals'))).toEqual([]);
  });

  it('an abandoned session is ended also when the guest has started again since', async () => {
    await using idle = await startGuestProcess({ variables: { SANDBOX_TERMINAL_IDLE_SECONDS: '2' } });
    const client = await connectTerminal(idle.url, { ...plainShell, sessionId: 'idle' });
    client.type('echo shell-$$\r');
    const shell = Number(/shell-(\d+)/.exec(await client.until(/shell-\d+/))?.[1]);
    process.kill(await idle.guestPid(), 'SIGKILL');
    await client.closed;
    await expect.poll(() => isAlive(shell), { timeout: 45_000 }).toBe(false);
  });
});

it('a client that does not read costs bounded memory, and is shown the newest with a mark where output was dropped', async () => {
  await using slow = await connectTerminal(guest.url, { ...plainShell, sessionId: 'slow' });
  await using quick = await connectTerminal(guest.url, { ...plainShell, sessionId: 'slow' });
  slow.socket.pause();
  const pid = await guest.guestPid();
  const before = await residentMb(pid);
  quick.type(
    'i=0; while [ $i -lt 60 ]; do head -c 300000 /dev/zero | tr "\\0" x; i=$((i+1)); done; echo; echo done-$((6*7))\r',
  );
  await quick.until('done-42');
  expect((await residentMb(pid)) - before).toBeLessThan(100);
  slow.socket.resume();
  await slow.until('done-42');
  expect(slow.shown()).toContain('output was dropped here');
  expect(slow.shown().length).toBeLessThan(20_000_000);
  quick.type('exit\r');
  await slow.closed;
});
