// The migrations of the auth plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { accounts } from './0001-accounts.ts'
import { oauthProviderTables } from './0002-oauth-provider.ts'
import { ownTables } from './0003-own-tables.ts'
import { directory } from './0004-directory.ts'
import { workspaceClients } from './0005-workspace-clients.ts'
import { links } from './0006-links.ts'
import { activeOrganizations } from './0007-active-organizations.ts'
import { keyPurposes } from './0008-key-purposes.ts'
import { owners } from './0009-owners.ts'
import { linksOfAddresses } from './0010-links-of-addresses.ts'
import { selfMade } from './0011-self-made.ts'

/** Append only; released steps never change. */
export const authMigrations: readonly Migration[] = [
  accounts,
  oauthProviderTables,
  ownTables,
  directory,
  workspaceClients,
  links,
  activeOrganizations,
  keyPurposes,
  owners,
  linksOfAddresses,
  selfMade,
]
