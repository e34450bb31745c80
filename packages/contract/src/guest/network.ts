import * as z from 'zod/mini';

export const PortMonitorRequest = z.object({
  /** Loopback only: the guest must not be a way to reach what its caller cannot. */
  callback: z.string().check(z.minLength(1), z.maxLength(2_048)),
});
export type PortMonitorRequest = z.infer<typeof PortMonitorRequest>;

/** One socket. UDP has no states of its own: `NONE` without a peer, `ESTABLISHED` with one. */
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
