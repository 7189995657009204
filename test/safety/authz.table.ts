// Who may do what with a record, as a table: the oracle of C5. Written from D-43 to D-46, not from the program.

/** The actions in the order of the table's letters. */
export const tableActions = ['create', 'read', 'edit', 'delete', 'transfer', 'restore', 'purge'] as const

/** An action of the table. */
export type TableAction = (typeof tableActions)[number]

/** What an action comes to: `y` done, `f` 403, `n` 404 as if there were no record, `x` 400 for an unknown reference. */
export type TableAnswer = 'y' | 'f' | 'n' | 'x'

/**
 * The callers. All but the last three have every flag on every object, so that only rows decide: `owner` owns the
 * record, `superior` has the role above the owner's, `subordinate` the one below, `colleague` none; the shared ones have
 * a share of that access; `ruled` has a row rule for reading. `viewer` may read everything (viewAllRecords), `modifier`
 * has modifyAllRecords, `guest` has nothing.
 */
export const tableRoles = [
  'administrator',
  'owner',
  'superior',
  'subordinate',
  'colleague',
  'shared_read',
  'shared_edit',
  'shared_full',
  'ruled',
  'viewer',
  'modifier',
  'guest',
] as const

/** A caller of the table. */
export type TableRole = (typeof tableRoles)[number]

/** The objects: one per sharing model, and details of the private one. */
export const tableModels = ['private', 'read', 'read_write', 'full', 'detail'] as const

/** An object of the table. */
export type TableModel = (typeof tableModels)[number]

/** One letter per action. Adding a detail needs its master: unseen it is unknown (x), only seen it is refused (f). */
export const authzTable: Readonly<Record<TableModel, Readonly<Record<TableRole, string>>>> = {
  private: {
    administrator: 'yyyyyyy',
    owner: 'yyyyyyy',
    superior: 'yyyyyyy',
    subordinate: 'ynnnnnn',
    colleague: 'ynnnnnn',
    shared_read: 'yyfffff',
    shared_edit: 'yyyffff',
    shared_full: 'yyyyyyy',
    ruled: 'yyfffff',
    viewer: 'fyfffff',
    modifier: 'yyyyyyy',
    guest: 'fffffff',
  },
  read: {
    administrator: 'yyyyyyy',
    owner: 'yyyyyyy',
    superior: 'yyyyyyy',
    subordinate: 'yyfffff',
    colleague: 'yyfffff',
    shared_read: 'yyfffff',
    shared_edit: 'yyyffff',
    shared_full: 'yyyyyyy',
    ruled: 'yyfffff',
    viewer: 'fyfffff',
    modifier: 'yyyyyyy',
    guest: 'fffffff',
  },
  read_write: {
    administrator: 'yyyyyyy',
    owner: 'yyyyyyy',
    superior: 'yyyyyyy',
    subordinate: 'yyyffff',
    colleague: 'yyyffff',
    shared_read: 'yyyffff',
    shared_edit: 'yyyffff',
    shared_full: 'yyyyyyy',
    ruled: 'yyyffff',
    viewer: 'fyfffff',
    modifier: 'yyyyyyy',
    guest: 'fffffff',
  },
  full: {
    administrator: 'yyyyyyy',
    owner: 'yyyyyyy',
    superior: 'yyyyyyy',
    subordinate: 'yyyyyyy',
    colleague: 'yyyyyyy',
    shared_read: 'yyyyyyy',
    shared_edit: 'yyyyyyy',
    shared_full: 'yyyyyyy',
    ruled: 'yyyyyyy',
    viewer: 'fyfffff',
    modifier: 'yyyyyyy',
    guest: 'fffffff',
  },
  detail: {
    administrator: 'yyyyyyy',
    owner: 'yyyyyyy',
    superior: 'yyyyyyy',
    subordinate: 'xnnnnnn',
    colleague: 'xnnnnnn',
    shared_read: 'fyfffff',
    shared_edit: 'yyyyyyy',
    shared_full: 'yyyyyyy',
    ruled: 'fyfffff',
    viewer: 'fyfffff',
    modifier: 'yyyyyyy',
    guest: 'fffffff',
  },
}
