import { ProcessPortsShape } from '../answers.ts';
import { ChangeShape } from '../mcp.ts';
import { PortMonitorRequest } from '../network.ts';
import { TunnelConfigRequest } from '../system.ts';
import { json, operationWithTag } from './operation.ts';

const operation = operationWithTag('Network');

const pid = { pid: 'Number of a process.' };

export const networkOperations = {
  portList: operation({
    summary: 'Lists the sockets of a process and of what it started.',
    path: pid,
    answer: json(ProcessPortsShape),
    statuses: [400, 404, 422],
  }),
  portMonitor: operation({
    summary: 'Calls a loopback address back for every port that the process opens.',
    path: pid,
    body: { json: PortMonitorRequest },
    answer: json(ChangeShape),
    statuses: [400, 404, 422, 429],
  }),
  portMonitorEnd: operation({
    summary: 'Ends the callbacks.',
    path: pid,
    answer: json(ChangeShape),
    statuses: [400, 404],
  }),
  tunnelConfigure: operation({
    summary: 'Sets up a tunnel; no runtime grants what it needs yet.',
    body: { json: TunnelConfigRequest },
    signed: true,
    statuses: [400, 422, 501],
  }),
  tunnelEnd: operation({ summary: 'Ends the tunnel.', signed: true, statuses: [400] }),
};
