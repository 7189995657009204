// An index for the question what deletions of others did to one record.
import type { Migration } from '#main/kernel/plugin.ts'

/** Purging a record removes its traces in the effects of other deletions (D-59). */
export const effectsByRecord: Migration = {
  number: 2,
  name: 'effects-by-record',
  sql: 'CREATE INDEX data_delete_effect_record ON data_delete_effect (record_id);',
}
