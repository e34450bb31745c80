// Contexts that wrapped keys are bound to: a wrapped key copied to another row does not open.

export const workspaceKeyContext = (workspaceId: string): string => `workspace-key.${workspaceId}`;
export const deploymentKeyContext = (purpose: string): string => `deployment-key.${purpose}`;
