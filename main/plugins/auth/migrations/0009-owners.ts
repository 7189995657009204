// Keeps an owner in every organization somebody is in. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

const isOwner = `instr(',' || role || ',', ',owner,') > 0`

/** Who owns an organization next: of its admins the one who joined first, else of its members. `organization` is SQL. */
const heirOf = (organization: string): string => `(
    SELECT id FROM auth_member WHERE organizationId = ${organization}
    ORDER BY instr(',' || role || ',', ',admin,') = 0, createdAt, id LIMIT 1)`

const ownerless = (organization: string): string =>
  `NOT EXISTS (SELECT 1 FROM auth_member WHERE organizationId = ${organization} AND ${isOwner})`

/** A trigger sees to it, because members go with their accounts, too. */
export const owners: Migration = {
  number: 9,
  name: 'owners',
  sql: `
    CREATE TRIGGER auth_member_owner_left AFTER DELETE ON auth_member WHEN ${ownerless('old.organizationId')} BEGIN
      UPDATE auth_member SET role = 'owner' WHERE id = ${heirOf('old.organizationId')};
    END;
    UPDATE auth_member SET role = 'owner' WHERE id IN (
      SELECT ${heirOf('auth_organization.id')} FROM auth_organization WHERE ${ownerless('auth_organization.id')});
  `,
}
