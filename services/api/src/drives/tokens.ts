// Access tokens for a drive and the public keys that verify them. Control-plane sheet 1.12.
import { createDriveAccessToken, getDriveKeys, requestErrors } from '@berth/contract';
import { type Registration, read, write } from '../http/call.ts';
import { findLive } from '../resources/record.ts';

export const driveHandlers: readonly Registration[] = [
  read(getDriveKeys, ({ dependencies }) => dependencies.driveTokens.jwks()),
  write(createDriveAccessToken, async (call) => {
    const { tx, workspace, principal, dependencies } = call;
    const scope = { workspaceId: workspace.id, kind: 'drive' };
    const drive = await findLive(tx, scope, call.params.driveName);
    if (drive === undefined) throw requestErrors.not_found();
    call.target(`drive/${drive.name}`);
    const { token, expiresInSeconds } = await dependencies.driveTokens.issue({
      workspaceId: workspace.id,
      workspaceName: workspace.name,
      driveName: drive.name,
      driveUid: drive.uid,
      subject: principal.subject,
      subjectType: principal.subjectType,
    });
    return { access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds };
  }),
];
