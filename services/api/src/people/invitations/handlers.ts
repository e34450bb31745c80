import { declineWorkspace, joinWorkspace, listInvitations } from '@berth/contract';
import { type Registration, read, write } from '../../http/call.ts';
import { declineWorkspace as decline } from './decline-workspace.ts';
import { joinWorkspace as join } from './join-workspace.ts';
import { listInvitations as list } from './list-invitations.ts';

export const invitationHandlers: readonly Registration[] = [
  read(listInvitations, list),
  write(joinWorkspace, join),
  write(declineWorkspace, decline),
];
