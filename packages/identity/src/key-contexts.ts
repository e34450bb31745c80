// What a wrapped key is bound to: moved to another row, it does not open.

export const workspaceKeyContext = (workspaceId: string): string => `workspace-key.${workspaceId}`;
export const deploymentKeyContext = (purpose: string): string => `deployment-key.${purpose}`;
