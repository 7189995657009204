// The rules of object and field names, for the host, the importer and the screens alike.

/** Form of object and field names (D-09, D-92). */
export const namePattern = /^[a-z][a-z0-9_]{0,62}$/

/** Most characters of such a name. */
export const maxNameLength = 63

/** Names no field may have: the system fields of D-51 and `rowid`. */
export const reservedFieldNames: ReadonlySet<string> = new Set([
  'id',
  'created_at',
  'updated_at',
  'created_by',
  'updated_by',
  'owner',
  'deleted_at',
  'deleted_by',
  'organization_id',
  'rowid',
])

/** Names no object may have: they are words of the paths below /data (D-68). */
export const reservedObjectNames: ReadonlySet<string> = new Set(['import'])
