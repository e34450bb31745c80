// The address at which others reach this machine: that of the interface with the default route.
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';

type Interfaces = ReturnType<typeof networkInterfaces>;

export async function primaryAddress(): Promise<string | undefined> {
  const routes = await readFile('/proc/net/route', 'utf8').catch(() => '');
  return chooseAddress(networkInterfaces(), defaultInterface(routes));
}

/** Bridges of Docker and of the runner lead to containers, not to other machines. */
const inner = /^(docker|br-|berth|veth|virbr|cni)/;

export function chooseAddress(interfaces: Interfaces, preferred: string | undefined): string | undefined {
  const names = Object.keys(interfaces).filter((name) => !inner.test(name));
  const ordered = preferred === undefined ? names : [preferred, ...names];
  return ordered
    .flatMap((name) => interfaces[name] ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

/** Lines of the kernel: interface, destination, gateway, …; the default route has the destination 0. */
export function defaultInterface(routes: string): string | undefined {
  const lines = routes.split('\n').map((line) => line.split('\t'));
  return lines.find(([, destination]) => destination === '00000000')?.[0];
}
