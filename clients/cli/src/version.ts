// The version of this package. The bundle holds it as a text.
import manifest from '../package.json' with { type: 'json' };

export const { version } = manifest;
