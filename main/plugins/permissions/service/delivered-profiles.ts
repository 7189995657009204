// The profiles every workspace has (D-43): delivered like the items of a package, so that people lay overlays over them.
import { systemPermissions } from '#shared/system-permissions.ts'

/** The profile that may do everything, whatever an overlay says. */
export const administratorProfile = 'administrator'

/** The profile of users who were given none. */
export const standardProfile = 'standard'

/** The profile that gives nothing. */
export const guestProfile = 'guest'

const everything = {
  allowCreate: true,
  allowRead: true,
  allowEdit: true,
  allowDelete: true,
  allowTransfer: true,
  allowRestore: true,
  allowPurge: true,
  viewAllRecords: true,
  modifyAllRecords: true,
}

/** The delivered profiles as items. */
export const deliveredProfiles: readonly Readonly<Record<string, unknown>>[] = [
  {
    name: administratorProfile,
    label: 'Administrator',
    description: 'May do everything.',
    objects: { '*': everything },
    fields: {},
    systemPermissions: [...systemPermissions],
    rowLevelSecurity: [],
  },
  {
    name: standardProfile,
    label: 'Standard',
    description: 'Works with records of every object.',
    isDefault: true,
    objects: {
      '*': { allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true, allowRestore: true },
    },
    fields: {},
    systemPermissions: ['run_flows', 'import_data', 'export_data', 'manage_api_keys'],
    rowLevelSecurity: [],
  },
  {
    name: 'readonly',
    label: 'Read only',
    description: 'Sees records of every object.',
    objects: { '*': { allowRead: true } },
    fields: {},
    systemPermissions: [],
    rowLevelSecurity: [],
  },
  {
    name: guestProfile,
    label: 'Guest',
    description: 'May do nothing until something is granted.',
    objects: {},
    fields: {},
    systemPermissions: [],
    rowLevelSecurity: [],
  },
]
