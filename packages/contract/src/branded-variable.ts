/** Environment variable with the deployment's brand in front. `short` is the brand's short form. */
export const brandedVariable = (short: string, name: string): string => `${short.toUpperCase()}_${name}`;
