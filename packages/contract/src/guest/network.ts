import * as z from 'zod/mini';

export const PortMonitorRequest = z.object({
  /** Loopback only: the guest must not let callers reach addresses that they cannot reach themselves. */
  callback: z.string().check(z.minLength(1), z.maxLength(2_048)),
});
export type PortMonitorRequest = z.infer<typeof PortMonitorRequest>;

/** One socket. UDP has no states: `NONE` without a peer, `ESTABLISHED` with a peer. */
export type PortInfo = {
  pid: number;
  protocol: 'tcp' | 'udp';
  localAddr: string;
  localPort: number;
  remoteAddr: string;
  remotePort: number;
  state: string;
  processName: string;
};

export type ProcessPorts = { pid: number; ports: PortInfo[] };
