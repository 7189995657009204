// Mailed links end with the address they were mailed to. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * Before, whoever read the mail of a former address could set the password, and a link that changes an address acted on
 * whoever had that address by then. Triggers see to it, because addresses change in many ways.
 */
export const linksOfAddresses: Migration = {
  number: 10,
  name: 'links-of-addresses',
  sql: `
    CREATE TRIGGER auth_link_address_left AFTER UPDATE OF email ON auth_user WHEN new.email <> old.email BEGIN
      DELETE FROM auth_link WHERE account IN (old.id, lower(old.email));
    END;
    CREATE TRIGGER auth_link_account_left AFTER DELETE ON auth_user BEGIN
      DELETE FROM auth_link WHERE account IN (old.id, lower(old.email));
    END;
  `,
}
