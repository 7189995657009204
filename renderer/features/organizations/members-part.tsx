// Owns the members of an organization: what each is in it, and removing one.
import { Button, NativeSelect } from '@mantine/core'
import { ListTable } from '../../components/list-table.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { memberRoles } from './organization-queries.ts'
import type { Member, MemberRole, OrganizationPartProps } from './organization-queries.ts'
import { useChanges } from './use-changes.ts'

/** The part. */
export function MembersPart(props: OrganizationPartProps) {
  const { organization, role, userId } = props
  const run = useChanges()
  const organizationId = organization.id

  const setRole = async (member: Member, next: MemberRole): Promise<boolean> =>
    run(
      async () => call('updateMemberRole', { body: { memberId: member.id, role: next, organizationId } }),
      t('members.role.done', { name: member.name, role: t(`members.role.${next}`) }),
    )

  const remove = async ({ id, name }: Member): Promise<void> => {
    const yes = await confirmAction({
      title: t('members.remove.title', { name, organization: organization.name }),
      body: t('members.remove.body'),
      confirmLabel: t('word.remove'),
    })
    if (!yes) return
    await run(
      async () => call('removeMember', { body: { memberIdOrEmail: id, organizationId } }),
      t('word.removedOf', { name }),
    )
  }

  const columns = [
    { label: t('word.name') },
    { label: t('members.role') },
    { label: t('members.since'), wide: true },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <ListTable label={t('members.list', { name: organization.name })} columns={columns}>
      {organization.members.map((member) => {
        const { id, name, email, createdAt } = member
        // Only owners decide about owners; leaving is under the settings.
        const mayChange = role !== 'member' && (role === 'owner' || member.role !== 'owner')
        return (
          <tr key={id}>
            <th scope="row">
              {name}
              {member.userId === userId && <span className={parts.badge}>{t('word.you')}</span>}
              {email !== name && <span className={parts.under}>{email}</span>}
            </th>
            <td>
              {mayChange ? (
                <NativeSelect
                  size="xs"
                  aria-label={t('members.roleOf', { name })}
                  value={member.role}
                  data={memberRoles
                    .filter((each) => role === 'owner' || each !== 'owner')
                    .map((value) => ({ value, label: t(`members.role.${value}`) }))}
                  onChange={(event) => void setRole(member, event.currentTarget.value as MemberRole)}
                />
              ) : (
                t(`members.role.${member.role}`)
              )}
            </td>
            <td data-time data-wide>
              {formatMoment(createdAt)}
            </td>
            <td data-end>
              {mayChange && member.userId !== userId && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('word.removeOf', { name })}
                  onClick={() => void remove(member)}
                >
                  {t('word.remove')}
                </Button>
              )}
            </td>
          </tr>
        )
      })}
    </ListTable>
  )
}
