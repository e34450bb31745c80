import { MasterKeys } from '@berth/identity';

/** Key `masterKeys`. There is no default; BERTH_MASTER_KEYS_FILE keeps them out of the environment. */
export const masterKeysSection = MasterKeys;

/** For a role that does less without them. */
export const optionalMasterKeysSection = masterKeysSection.optional();
